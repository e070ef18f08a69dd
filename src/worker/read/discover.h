// SPDX-License-Identifier: MIT
/* The objects in the user's modules, and in their lists, tuples and dictionaries. */
#ifndef WORKER_READ_DISCOVER_H
#define WORKER_READ_DISCOVER_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"
#include "model/job.h"

/* A target of the job. */
struct found {
	PyObject *object;          /* a new reference; NULL: name is to be evaluated */
	const char *name;          /* an expression */
	struct fact_texts aliases; /* its other names */
	bool is_named;             /* by the job, itself or through its container */
};

struct target_plan {
	struct found *items;
	size_t n_items, n_found;   /* in all; before those of the job's expressions */
	bool is_expanded;          /* an expression became the items of its container */
	int64_t n_buffers;         /* objects omitted because they expose only a buffer */
	struct fact_texts notices; /* what was not examined */
	const char *stopped_at;    /* the container at which the search ended; NULL: all searched */
};

/*
 * The targets of the job, in the arena: if it asks for all objects, those of the module that expose
 * an interface, and those in its lists, tuples and dictionaries; then its expressions. The name of
 * a container with arrays stands for these. Containers are read without code of the user, up to a
 * depth and a number of items, which notices state where they are exceeded.
 */
void target_discover(
	struct arena *arena, const struct job *job, PyObject *names, struct target_plan *plan);

/* A list, tuple or dictionary, the items of which are targets. */
bool target_is_container(PyObject *object);

/* The first item of a list, tuple or dictionary, or of one inside, for which is_sought() is true,
 * with the expression for it. Runs no code of the user. False: none; otherwise gives item->object.
 */
bool target_seek_item(struct arena *arena, PyObject *container, const char *expression,
	bool (*is_sought)(PyObject *object), struct found *item);

/* The expression of the first array in a container, or in the attributes of another object, which
 * the expression denotes; NULL: none. */
const char *target_first_item(
	struct arena *arena, const struct job *job, PyObject *object, const char *expression);

#endif
