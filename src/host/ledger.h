// SPDX-License-Identifier: MIT
/*
 * What a job owes its caller: a message for each module and each target, in order, whatever becomes
 * of the workers. Takes what workers say, puts in what a lost worker could not, and tells what is
 * left to do.
 */
#ifndef HOST_LEDGER_H
#define HOST_LEDGER_H

#include "base/arena.h"
#include "base/error.h"
#include "host/channel.h"
#include "host/session.h"
#include "model/value.h"

#include <stdbool.h>

enum {
	LEDGER_TARGET_LOSSES = 8, /* workers lost on one target before it is given up */
	LEDGER_ALL_LOSSES = 64,   /* and on the whole job */
};

struct ledger {
	const struct session *session;
	const struct value *job;
	struct arena arena; /* of the whole session */
	struct ledger_module {
		bool told;
		size_t n_targets;     /* once told */
		struct value *found;  /* the names of targets, where the job named none */
		struct value *failed; /* what a later import of it said, where that failed */
	} * modules;
	size_t n_modules;      /* those that it is not concerned with end here */
	size_t module, target; /* the first that is not told */
	size_t first_module;   /* where the worker under way began */
	bool started;
	/* What an earlier script did to the process may be why a module fails: it is tried again in
	 * a worker of its own, and the one under way is to be stopped. */
	bool wants_new_worker;
	struct value *loss;   /* what befell it: {status, step, error}; NULL: nothing yet */
	struct value *untold; /* the outcome of what no worker said anything about; NULL: not needed
				 yet */
	size_t n_losses_here, n_losses;
	struct value *skip;
	struct arena held_arena; /* a target's message, until the worker has left that target */
	struct value *held;
};

/* Takes on the modules [first, end) of the job; keeps session and job. Undo with ledger_close. */
void ledger_open(struct ledger *ledger, const struct session *session, const struct value *job,
	size_t first, size_t end);
void ledger_close(struct ledger *ledger);

/* Takes a worker's message, and its arena, which is left empty. */
int ledger_take(struct ledger *ledger, struct arena *arena, struct value *message, struct err *err);

/* How a worker was lost: status is crashed, hung or left, and where it was then. */
struct loss {
	const char *status, *message;
	struct channel_place place;
};

int ledger_lose(struct ledger *ledger, const struct loss *loss, struct err *err);

/* A worker has told everything. */
int ledger_finish(struct ledger *ledger, struct err *err);

/* No worker can be run: all that is left is unavailable, for the reason. */
int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err);

/* The job for the next worker, in the arena, which holds parts of the ledger and its job; NULL:
 * nothing is left to do. */
const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena);

#endif
