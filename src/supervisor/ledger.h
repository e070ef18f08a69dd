// SPDX-License-Identifier: MIT
/*
 * Ensures that the caller receives, for a module of a session, a message for its import and one for
 * each target, in order, even if workers end early. Takes the messages of workers, completes those
 * of a worker that ended early, and creates the job of the next one.
 */
#ifndef SUPERVISOR_LEDGER_H
#define SUPERVISOR_LEDGER_H

#include "base/arena.h"
#include "base/error.h"
#include "facts/message.h"
#include "model/job.h"
#include "supervisor/channel.h"

#include <stdbool.h>

enum {
	LEDGER_MAX_EXITS = 8, /* workers that end in one target before it is given up */
};

/* How an import or a target ended, if its facts do not state it. */
struct outcome {
	enum target_status status;
	const char *step; /* NULL: none */
	struct fact_error error;
};

/* Receives the ledger's messages; it may take the arena, which holds the message. Non-zero stops.
 */
struct message_receiver {
	int (*on_message)(
		void *context, struct arena *arena, struct message *message, struct err *err);
	void *context;
};

struct ledger {
	const struct message_receiver *receiver;
	const struct job *job;
	const struct job_module *module; /* NULL: there is none */
	size_t index;                    /* of the module in the run */
	struct arena arena;              /* of the whole session */
	bool reported;                   /* the module's message */
	size_t n_targets;                /* once reported */
	struct fact_texts found; /* the names of targets, if they are not those of the job */
	struct outcome failed;   /* of an import in a later worker that failed; otherwise null */
	size_t target;           /* the first that is not reported yet */
	size_t start;            /* the first of the worker */
	bool started;
	struct outcome first_exit; /* how the first worker that was lost in this target ended; null:
				      none was lost */
	size_t n_exits;            /* of workers, in this target */
	bool repeats; /* the next worker repeats the target without those before it, one of which
			 may have ended the worker */
	int64_t spent_ms;         /* by these workers */
	const char *why_given_up; /* while a target is reported that is not attempted again */
	/* The draft of the worker that came furthest before it ended. */
	struct ledger_draft {
		struct arena arena;
		struct fact_draft facts;
	} best;
	struct job_skip *skip;
	size_t n_skip;
	size_t n_hung; /* trials */
	/* The latest step of a trial: passed on if its worker is lost. */
	struct arena trial_arena;
	struct message trial;
	bool has_trial;
	/* A target's message, until the worker has left that target. */
	struct arena pending_arena;
	struct message pending;
	bool has_pending;
};

/* Opens the module with that index; NULL: none. Keeps receiver, job and module. Undo with
 * ledger_close. */
void ledger_open(struct ledger *ledger, const struct message_receiver *receiver,
	const struct job *job, const struct job_module *module, size_t index);
void ledger_close(struct ledger *ledger);

/* Takes a worker's message, and its arena, which is left empty. */
int ledger_take(
	struct ledger *ledger, struct arena *arena, struct message *message, struct err *err);

/* The worker has reached this target, and its earlier messages are taken: reports the target that
 * it left. */
int ledger_arrive(struct ledger *ledger, int64_t target, struct err *err);

/* How and where a worker ended early: status is crashed, hung or left; or ok if it was stopped in
 * an optional step, because its time limit was reached. */
struct worker_exit {
	enum target_status status;
	const char *message;
	const char *stack; /* of its threads; NULL: unknown */
	struct worker_position position;
	int64_t spent_ms;        /* on the target, by all workers, their imports included */
	bool no_time;            /* the target's time limit is reached */
	struct fact_draft draft; /* of the target, left by the worker */
	struct arena draft_arena;
};

/* May take the draft's arena, which is then left empty. */
int ledger_worker_exited(struct ledger *ledger, struct worker_exit *worker_exit, struct err *err);

/* A worker has reported everything. */
int ledger_finish(struct ledger *ledger, struct err *err);

/* No worker can be run: reports the remaining targets as unavailable, with the reason. */
int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err);

/* The job for the next worker as a value; NULL: all is done. */
const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena);

#endif
