// SPDX-License-Identifier: MIT
/*
 * What the session owes the caller for a module of a session: a message for its import and one for
 * each target, in order, whatever becomes of the workers. Takes the messages of workers, completes
 * what a worker that ended early could not report, and makes the job of the next one.
 */
#ifndef SUPERVISOR_LEDGER_H
#define SUPERVISOR_LEDGER_H

#include "base/arena.h"
#include "base/error.h"
#include "model/value.h"
#include "supervisor/channel.h"
#include "supervisor/session.h"

#include <stdbool.h>

enum {
	LEDGER_MAX_EXITS = 8, /* workers that end in one target before it is given up */
};

struct ledger {
	const struct session *session;
	const struct value *job;
	const struct value *module; /* NULL: the job has none */
	size_t index;               /* the module's in the job */
	struct arena arena;         /* of the whole session */
	bool reported;              /* the module's message */
	size_t n_targets;           /* once reported */
	const struct value *found;  /* the names of targets, where the job named none */
	const struct value *failed; /* the message of a later import, where that failed */
	size_t target;              /* the first that is not reported */
	bool started;
	struct value *first_exit; /* how the first worker ended in it: {status, step, error}; NULL:
				     none did */
	struct value *unreported; /* the outcome of what no worker reported; NULL: not needed yet */
	size_t n_exits;           /* of workers, in this target */
	int64_t spent_ms;         /* by these */
	const char *why_given_up; /* while a target is reported that is not tried again */
	/* What workers reported about it before they ended: the latest, and the one that has most.
	 */
	struct ledger_draft {
		struct arena arena;
		struct value *facts; /* NULL: nothing */
	} draft, best;
	struct value *skip;
	struct arena pending_arena; /* a target's message, until the worker has left that target */
	struct value *pending;
};

/* Takes on the module of that index in the job, if it has any; keeps session and job. Undo with
 * ledger_close. */
void ledger_open(struct ledger *ledger, const struct session *session, const struct value *job,
	size_t index);
void ledger_close(struct ledger *ledger);

/* Takes a worker's message, and its arena, which is left empty. */
int ledger_take(struct ledger *ledger, struct arena *arena, struct value *message, struct err *err);

/* How a worker ended early: status is crashed, hung or left, and where it was then; or
 * ok: it was ended in what can be left out, as its time was used up. */
struct worker_exit {
	const char *status, *message;
	struct worker_position position;
	int64_t spent_ms;           /* on the target, by all workers, their imports included */
	bool no_time;               /* the target's time limit is used up */
	const struct value *drafts; /* that the worker left of the target, a list; NULL: none */
};

int ledger_worker_exited(
	struct ledger *ledger, const struct worker_exit *worker_exit, struct err *err);

/* A worker has reported everything. */
int ledger_finish(struct ledger *ledger, struct err *err);

/* No worker can be run: all that is left is unavailable, for the reason. */
int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err);

/* The job for the next worker, in the arena, which holds parts of the ledger and its job; NULL:
 * nothing is left to do. */
const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena);

#endif
