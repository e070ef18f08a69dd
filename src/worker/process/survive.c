// SPDX-License-Identifier: MIT
/* See worker/process/survive.h. A thread that is stopped leaves a valid state of Python, that of a
 * thread in a call without the GIL; one that is unwound would not. */
#include "worker/process/survive.h"

#include "worker/process/stack.h"
#include "worker/python/python.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

struct survived {
	void (*call)(void *context);
	void *context;
};

static sem_t is_over;
static volatile sig_atomic_t fatal_number;
static _Thread_local bool survives;

/* The thread may crash with the GIL, or within a call that released it. */
static void stop_thread(int number)
{
	if (!survives) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	(void)PyGILState_Ensure();
	(void)PyEval_SaveThread();
	fatal_number = number;
	sem_post(&is_over);
	for (;;)
		pause();
}

static void *run_call(void *opaque)
{
	struct survived *survived = opaque;
	PyGILState_STATE state = PyGILState_Ensure();

	survives = true;
	survived->call(survived->context);
	survives = false;
	PyGILState_Release(state);
	sem_post(&is_over);
	return NULL;
}

static int run_guarded_thread(struct survived *survived)
{
	pthread_t thread;

	if (sem_init(&is_over, 0, 0) || pthread_create(&thread, NULL, run_call, survived))
		return -1;
	while (sem_wait(&is_over) && errno == EINTR)
		;
	return fatal_number ? pthread_detach(thread) : pthread_join(thread, NULL);
}

bool process_survives(void (*call)(void *context), void *context, int *number)
{
	struct survived survived = { call, context };
	int failed;

	fatal_number = 0;
	stack_trace_before(stop_thread);
	WITHOUT_GIL(failed = run_guarded_thread(&survived));
	if (failed)
		call(context);
	*number = fatal_number;
	return !*number;
}
