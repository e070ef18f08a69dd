// SPDX-License-Identifier: MIT
/* The user's modules: loading them, and the objects in them. */
#ifndef WORKER_TARGET_H
#define WORKER_TARGET_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"
#include "model/job.h"

/*
 * Loads the job's module, a file, a dotted name, or code, with the job's arguments in sys.argv.
 * Gives *names, its dictionary, which is kept until the process ends. -1 with the exception
 * pending; *missing: there is no such file or module.
 */
int target_load(const struct job *job, PyObject **names, bool *missing);

/* A module-level object that exposes an interface. */
struct found {
	PyObject *object; /* a new reference */
	const char *name;
	struct fact_texts aliases; /* its other names */
};

/* The targets of a job without expressions: the module's objects that expose an interface.
 * *n_buffers counts the objects omitted because they expose only a buffer. */
struct found *target_discover(struct arena *arena, const struct job *job, PyObject *names,
	size_t *n_found, int64_t *n_buffers);

#endif
