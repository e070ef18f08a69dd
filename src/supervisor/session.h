// SPDX-License-Identifier: MIT
/*
 * Runs a job in worker processes and passes each target's facts to the caller: starts workers,
 * reads their rings, enforces time limits, and after a crash continues in a new worker that skips
 * the step.
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
	double step_timeout_seconds; /* of targets, if that is less; 0: none */
	bool step_timeout_grows;     /* while other processes use the processor */
	const char *wrap;            /* --wrap CMD; NULL: none */
	bool stdin_is_input;         /* suai reads it: workers get /dev/null as standard input */
	bool goes_on; /* if no worker can be run, targets are reported as unavailable */
	bool silent;  /* output and errors of workers are discarded */
	int64_t jobs; /* how many workers may run in parallel, each with its own module */
};

struct session {
	struct session_options options;
	/* Called before the worker of a module starts: 1 starts it, 0 skips the module, without
	 * messages, -1 with err set stops the session. With one worker at a time, all messages
	 * about earlier modules were passed on. Optional. */
	int (*on_start)(void *context, size_t module, struct err *err);
	/* Called in order for each message but hello and done: one for each module and one for each
	 * of its targets, even if workers end early. The arena holds the message; to keep it, take
	 * the arena and leave an empty one. Non-zero stops the session. */
	int (*on_message)(
		void *context, struct arena *arena, struct message *message, struct err *err);
	/* n is 1 if a target arrived before its turn, and -1 before it is passed on. Optional. */
	void (*on_waiting)(void *context, int n);
	/* The progress of a long copy in the shard whose turn it is, and its step; total 0: none.
	 * Optional. */
	void (*on_work)(void *context, const char *step, uint64_t done_bytes, uint64_t total_bytes);
	/* The target that is under way in the shard whose turn it is, -1 during an import; called
	 * often. Optional. */
	void (*on_position)(void *context, size_t module, int32_t target);
	void *context;
};

/*
 * Runs the job (docs/facts.md) for each module; once if there is none. Fails only if no worker can
 * be run (no interpreter: EXIT_UNAVAILABLE, invalid --python: EXIT_USAGE), if the user interrupts,
 * or if on_message fails; failures of targets are reported by messages.
 */
int session_run(const struct session *session, const struct job *job,
	const struct job_modules *modules, struct err *err);

#endif
