// SPDX-License-Identifier: MIT
/* Whether the user's code calls os.register_at_fork() while a module is loaded: objects of such a
 * module may differ in a fork. */
#ifndef WORKER_PROCESS_FORK_HANDLERS_H
#define WORKER_PROCESS_FORK_HANDLERS_H

#include "worker/python/python.h"

#include <stdbool.h>

struct fork_handlers {
	PyObject *os,
		*callers;   /* the module, and a list of files; NULL: os could not be imported */
	PyObject *original; /* os.register_at_fork; NULL: it is not watched */
};

/* Replaces os.register_at_fork by a function that also notes the files of its callers. */
struct fork_handlers fork_handlers_watch(void);

/* Restores it. True if a file that is neither of the standard library nor installed called it.
 * Keeps a pending exception. */
bool fork_handlers_found(struct fork_handlers *handlers);

#endif
