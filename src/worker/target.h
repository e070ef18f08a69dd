// SPDX-License-Identifier: MIT
/* The user's modules: loading them. */
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

#endif
