// SPDX-License-Identifier: MIT
/* Names an object that crashes this process while it is read without the isolation of a fork. */
#ifndef WORKER_PROCESS_CRASH_NOTICE_H
#define WORKER_PROCESS_CRASH_NOTICE_H

#include "base/arena.h"
#include "model/job.h"

#include <sys/types.h>

/* Owned by the caller between begin and end. Notices nest, since the code of an object can call
 * suai. */
struct crash_notice {
	const char *name, *circumstances;
	int fd;
	pid_t process, thread;
	const struct crash_notice *outer;
};

/*
 * Until crash_notice_end(): if a fatal signal, exit() or os._exit() ends this process, destination
 * gets the name, the step, the reason why the process is not isolated (NULL: none), and the test
 * that pytest runs. The signal's handler, such as faulthandler's, runs after that. The texts live
 * in the arena.
 */
void crash_notice_begin(struct crash_notice *notice, struct arena *arena,
	const struct job_notice *destination, const char *name, const char *reason);
void crash_notice_end(const struct crash_notice *notice);

#endif
