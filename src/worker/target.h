// SPDX-License-Identifier: MIT
/* The user's modules: loading them, and the objects in them. */
#ifndef WORKER_TARGET_H
#define WORKER_TARGET_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"
#include "model/job.h"

/* What target_load() found out. */
struct loaded {
	PyObject *names;         /* the module's dictionary, which is kept until the process ends */
	bool missing;            /* failed: there is no such file or module */
	const char *failed_step; /* failed: what did, such as "cell 3"; NULL: the import. Set
				    without a failure if a notebook's later cell raised the pending
				    exception and the objects of earlier ones are of use. */
	struct fact_texts notices; /* what was not run */
	bool handles_forks; /* of a module for trials: its own code called os.register_at_fork() */
};

/*
 * Loads the job's module: a file, a notebook, a dotted name, or code, with the job's arguments in
 * sys.argv. -1 with the exception pending. Texts live in the arena.
 */
int target_load(struct arena *arena, const struct job *job, struct loaded *loaded);

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

/* The expression of the first array in a container, which the expression denotes; NULL: none. */
const char *target_first_item(
	struct arena *arena, const struct job *job, PyObject *object, const char *expression);

#endif
