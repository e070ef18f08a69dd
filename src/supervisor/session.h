// SPDX-License-Identifier: MIT
/*
 * Runs a job in worker processes and passes each target's facts to the caller: starts workers,
 * reads their rings, watches deadlines, and after a crash goes on in a new worker with the lethal
 * step skipped.
 */
#ifndef SUPERVISOR_SESSION_H
#define SUPERVISOR_SESSION_H

#include "base/error.h"
#include "facts/message.h"
#include "model/job.h"

#include <stdbool.h>
#include <stdint.h>

enum host_mode { HOST_AUTO, HOST_EMBED, HOST_EXEC };

struct session_options {
	const char *python;        /* --python; NULL: environment, then PATH */
	const char *python_source; /* the file and line that set it; NULL: the command line */
	enum host_mode host;
	double timeout_seconds;
	const char *wrap;    /* --wrap CMD; NULL: none */
	bool stdin_is_input; /* suai reads it: workers get /dev/null as standard input */
	bool goes_on;        /* where no worker can be run, targets are reported as unavailable */
	bool silent;         /* workers' output and errors go nowhere */
	int64_t jobs;        /* how many workers may run at a time, each with modules of its own */
};

struct session {
	struct session_options options;
	/* Called before the worker of a module starts: 1 starts it, 0 leaves the module out,
	 * without messages, -1 with err set stops the session. With one worker at a time all
	 * messages about the modules before it were passed on. Optional. */
	int (*on_start)(void *context, size_t module, struct err *err);
	/* Called for each message the caller should see (all but hello and done), in order: one for
	 * each module, and one for each target of it, whatever happens to the workers. The arena
	 * holds the message; who keeps it takes the arena and leaves an empty one. Non-zero stops
	 * the session. */
	int (*on_message)(
		void *context, struct arena *arena, struct message *message, struct err *err);
	/* n is 1 where a target came before its turn, and -1 before it is passed on. Optional. */
	void (*on_waiting)(void *context, int n);
	/* How far the long copy of the part is whose turn it is, and the step that it is in; total
	 * 0: there is none. Optional. */
	void (*on_work)(void *context, const char *step, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
};

/*
 * Runs the job (docs/facts.md) for each module; once where there is none. Fails only when no worker
 * can be run at all (no interpreter: EXIT_UNAVAILABLE, bad --python: EXIT_USAGE), when the user
 * interrupts, or when on_message fails; what happens to targets is reported by messages.
 */
int session_run(const struct session *session, const struct job *job,
	const struct job_modules *modules, struct err *err);

#endif
