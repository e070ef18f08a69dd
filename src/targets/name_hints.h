// SPDX-License-Identifier: MIT
/* Errors of targets that do not exist. */
#ifndef TARGETS_NAME_HINTS_H
#define TARGETS_NAME_HINTS_H

#include "facts/facts.h"
#include "model/job.h"

/* Replaces "name 'b' is not defined" by the defined names, and the one probably meant. */
void name_hints_explain(struct arena *arena, struct fact_target *target);

/*
 * Adds to the error of a target or module: the missing import, for a NameError of an array
 * library's usual name; that a TARGET with -c is an expression, for one that cannot be parsed; the
 * interpreter and how to choose another, for a ModuleNotFoundError, or that the TARGET is a
 * directory or a file of another kind. module: of the job, or NULL; python: the value of --python,
 * or NULL.
 */
void name_hints_explain_module(struct arena *arena, enum target_status status, const char *step,
	struct fact_error *error, const struct job_module *module, const char *python);

#endif
