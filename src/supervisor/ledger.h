// SPDX-License-Identifier: MIT
/*
 * What a module owes the caller of a session: a message for its import and one for each target, in
 * order, whatever becomes of the workers. Takes the messages of workers, completes what a lost
 * worker could not report, and makes the job of the next one.
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
	LEDGER_TARGET_LOSSES = 8, /* workers lost on one target before it is given up */
};

struct ledger {
	const struct session *session;
	const struct value *job;
	const struct value *module; /* NULL: the job has none */
	size_t index;               /* the module's in the job */
	struct arena arena;         /* of the whole session */
	bool told;                  /* the module's message */
	size_t n_targets;           /* once told */
	const struct value *found;  /* the names of targets, where the job named none */
	const struct value *failed; /* the message of a later import, where that failed */
	size_t target;              /* the first that is not told */
	bool started;
	struct value *loss;       /* what befell it: {status, step, error}; NULL: nothing yet */
	struct value *untold;     /* the outcome of what no worker reported; NULL: not needed yet */
	size_t n_losses;          /* of workers, on this target */
	int64_t spent_ms;         /* by these */
	const char *why_given_up; /* while a target is told that is not tried again */
	/* What workers reported of it before they were lost: the latest, and the one that has most.
	 */
	struct ledger_draft {
		struct arena arena;
		struct value *facts; /* NULL: nothing */
	} draft, best;
	struct value *skip;
	struct arena held_arena; /* a target's message, until the worker has left that target */
	struct value *held;
};

/* Takes on the module of that index in the job, if it has any; keeps session and job. Undo with
 * ledger_close. */
void ledger_open(struct ledger *ledger, const struct session *session, const struct value *job,
	size_t index);
void ledger_close(struct ledger *ledger);

/* Takes a worker's message, and its arena, which is left empty. */
int ledger_take(struct ledger *ledger, struct arena *arena, struct value *message, struct err *err);

/* How a worker was lost: status is crashed, hung or left, and where it was then; or
 * ok: it was ended in what can be left out, as its time was used up. */
struct loss {
	const char *status, *message;
	struct channel_place place;
	int64_t spent_ms;           /* on the target, by all workers, their imports included */
	bool no_time;               /* the target's time limit is used up */
	const struct value *drafts; /* that the worker left of the target, a list; NULL: none */
};

int ledger_lose(struct ledger *ledger, const struct loss *loss, struct err *err);

/* A worker has reported everything. */
int ledger_finish(struct ledger *ledger, struct err *err);

/* No worker can be run: all that is left is unavailable, for the reason. */
int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err);

/* The job for the next worker, in the arena, which holds parts of the ledger and its job; NULL:
 * nothing is left to do. */
const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena);

#endif
