// SPDX-License-Identifier: MIT
/* What a worker is started with: the interpreter and suai's files. */
#ifndef SUPERVISOR_WORKER_OPTIONS_H
#define SUPERVISOR_WORKER_OPTIONS_H

#include "base/error.h"
#include "supervisor/find_python.h"

#include <stdbool.h>

struct value;
struct worker;

struct worker_options {
	/* Starts a worker with the job; undone by worker_stop(), also after a failure. */
	int (*start)(struct worker *worker, const struct worker_options *options,
		const struct value *job, struct err *err);
	void *start_context;
	struct python python;
	char *module;     /* the file of _suai.abi3.so */
	char *bootstrap;  /* of suai-bootstrap.py */
	bool runs_python; /* a target is Python code */
	bool embed;
	bool must_embed;  /* no exec if libpython cannot be loaded */
	const char *wrap; /* a command, by the shell's rules, that runs the executed interpreter */
	bool stdin_is_input; /* the worker's standard input is /dev/null */
	bool silent;         /* and so is its standard error */
	double timeout_seconds;
	struct forkserver *forkserver; /* or NULL */
};

/*
 * Finds a file that belongs to suai: in its directory, in ../lib/suai, or at the path chosen (NULL
 * or empty: none). Gives *path (free with free).
 */
int worker_find_part(const char *name, const char *chosen, char **path, struct err *err);

/* Finds the module, also through $SUAI_MODULE, and the bootstrap, also in the module's directory.
 */
int worker_find_module(struct worker_options *options, struct err *err);

#endif
