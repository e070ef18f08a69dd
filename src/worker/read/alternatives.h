// SPDX-License-Identifier: MIT
/* What an object without interfaces has instead. */
#ifndef WORKER_READ_ALTERNATIVES_H
#define WORKER_READ_ALTERNATIVES_H

#include "worker/capture/capture.h"
#include "worker/python/python.h"

#include "facts/facts.h"
#include "model/job.h"

/*
 * Adds the alternatives of the object that the expression denotes in the context's names. Types are
 * examined, so none of their code runs; whether a package is present is found by importlib. An
 * expression is offered unless it fails in a child of this process.
 */
void alternatives_add(const struct capture_context *context, const char *expression,
	PyObject *object, struct fact_alternative_list *list);

/* The protocols of the job, as the value of `looked_for`. */
struct fact_texts alternatives_looked_for(struct arena *arena, const struct job *job);

/* The best alternative of each of the module's public objects, of the first few that have any. */
void alternatives_add_module(
	const struct capture_context *context, struct fact_alternative_list *list);

/* The names of the module's public objects that are not found targets, because they expose no
 * interface, although their type has an attribute from which an array can be obtained. */
struct fact_texts alternatives_without_interface(
	struct arena *arena, PyObject *names, const struct fact_found_target_list *found);

#endif
