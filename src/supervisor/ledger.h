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
#include "facts/message.h"
#include "supervisor/channel.h"
#include "supervisor/session.h"

#include <stdbool.h>

enum {
	LEDGER_MAX_EXITS = 8, /* workers that end in one target before it is given up */
};

/* How an import or a target ended, where its facts do not say. */
struct outcome {
	enum target_status status;
	const char *step; /* NULL: none */
	struct fact_error error;
};

struct ledger {
	const struct session *session;
	const struct job *job;
	const struct job_module *module; /* NULL: there is none */
	size_t index;                    /* the module's in the run */
	struct arena arena;              /* of the whole session */
	bool reported;                   /* the module's message */
	size_t n_targets;                /* once reported */
	struct fact_texts found;         /* the names of targets, where the job named none */
	struct outcome failed;           /* of a later import, where that failed; else null */
	size_t target;                   /* the first that is not reported */
	bool started;
	struct outcome first_exit; /* how the first worker ended in it; null: none did */
	size_t n_exits;            /* of workers, in this target */
	int64_t spent_ms;          /* by these */
	const char *why_given_up;  /* while a target is reported that is not tried again */
	/* What the worker that came furthest reported about it before it ended. */
	struct ledger_draft {
		struct arena arena;
		struct fact_draft facts;
	} best;
	struct job_skip *skip;
	size_t n_skip;
	/* A target's message, until the worker has left that target. */
	struct arena pending_arena;
	struct message pending;
	bool has_pending;
};

/* Takes on the module of that index; NULL: there is none. Keeps session, job and module. Undo with
 * ledger_close. */
void ledger_open(struct ledger *ledger, const struct session *session, const struct job *job,
	const struct job_module *module, size_t index);
void ledger_close(struct ledger *ledger);

/* Takes a worker's message, and its arena, which is left empty. */
int ledger_take(
	struct ledger *ledger, struct arena *arena, struct message *message, struct err *err);

/* How a worker ended early: status is crashed, hung or left, and where it was then; or
 * ok: it was ended in what can be left out, as its time was used up. */
struct worker_exit {
	enum target_status status;
	const char *message;
	struct worker_position position;
	int64_t spent_ms;        /* on the target, by all workers, their imports included */
	bool no_time;            /* the target's time limit is used up */
	struct fact_draft draft; /* that the worker left of the target */
	struct arena draft_arena;
};

/* May take the draft's arena, and leaves an empty one then. */
int ledger_worker_exited(struct ledger *ledger, struct worker_exit *worker_exit, struct err *err);

/* A worker has reported everything. */
int ledger_finish(struct ledger *ledger, struct err *err);

/* No worker can be run: all that is left is unavailable, for the reason. */
int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err);

/* The job for the next worker as a value; NULL: nothing is left to do. */
const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena);

#endif
