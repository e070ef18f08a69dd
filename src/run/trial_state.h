// SPDX-License-Identifier: MIT
/*
 * The state of the trials of a session's targets: trial_plan.c divides them among processes,
 * trials.c runs them, and trial_doubts.c decides which results count.
 */
#ifndef RUN_TRIAL_STATE_H
#define RUN_TRIAL_STATE_H

#include "run/trials.h"

#include "facts/facts.h"
#include "protocols/trials.h"

/* One trial of a target. */
struct planned_trial {
	struct trial_target *target;
	struct job_trial id;
	int flags;                /* of enum trial_flags */
	struct fact_trial record; /* not present: there is none yet */
	bool has_result;   /* the worker sent the record; otherwise it only has the reason why there
			      is no result */
	bool is_unsure;    /* skipped, for a reason that does not follow from the object */
	bool is_settled;   /* the record counts */
	bool is_planned;   /* in a batch of its kind */
	bool is_regrouped; /* repeated with those of other objects */
	struct doubt *doubt; /* about its result; NULL: it is repeated alone, whatever the results
				of others */
};

struct trial_target {
	struct arena arena; /* of facts */
	struct fact_target facts;
	const struct job_module *module;
	struct planned_trial *trials;
	size_t n_trials;
	int64_t left_ms; /* remaining part of the target's time limit */
	bool hung;       /* in the first attempt, whose hang does not count against left_ms */
	const struct job_module *planned; /* the batch that is being planned, if the target is in */
	int64_t first;                    /* index of its first trial there */
	bool is_examined;                 /* by trial_doubts_settle_target() */
};

/* A doubt that several objects of a module share: the trial is repeated for the first of them. */
struct doubt {
	struct doubt *next;
	const struct job_module *module;
	const char *key;
	struct planned_trial *repeated; /* NULL: not yet */
	enum { DOUBT_OPEN, DOUBT_CONFIRMED, DOUBT_REFUTED } outcome;
};

/* The trials of one module of a session. */
struct trial_batch {
	struct planned_trial **items;
	size_t n_items;
};

struct trial_state {
	struct run *run;
	struct trial_queue *queue;
	const struct trial_receiver *receiver;
	struct progress *progress;
	struct doubt *doubts;
	size_t n_passed_on; /* targets */
	bool has_live;      /* a live trial is planned */

	/* The current session. */
	enum {
		ATTEMPT_FIRST,
		ATTEMPT_SECOND,
		ATTEMPT_REGROUPED, /* one trial of each of several objects in a worker */
		ATTEMPT_ALONE      /* in a worker */
	} attempt;
	struct job_modules modules; /* one for each batch */
	struct trial_batch *batches;
	struct trial_batch *current; /* NULL: none */
	int64_t begun_ms; /* the current trial, if it runs alone; the import does not count */
	struct arena step_arena;
	struct fact_trial_step
		last_step; /* of a lost worker; not present: the trial had not started */
};

/* Sets the record of a trial that was not run; keeps type and reason. */
void trial_record_skip(struct planned_trial *trial, const char *type, const char *reason);

/* Lists the records of a target, without that of one trial (NULL: all), for the rules. */
void trial_records_list(struct trial_target *target, const struct planned_trial *without);

/* --- trial_doubts.c: which results count, and which trials are repeated --- */

/* Settles a target after the first attempt, or notes its doubts. If a trial hung there, all of its
 * trials run alone. */
void trial_doubts_settle_target(struct trial_state *state, struct trial_target *target);

/* Settles a trial after the second attempt if there is no doubt left, or the same one. If another
 * doubt arose in a trial that was the first of its worker (was_alone) and did not hang, that doubt
 * is confirmed; otherwise the trial is repeated alone. */
void trial_doubts_settle_repeated(
	struct trial_state *state, struct planned_trial *trial, bool was_alone);

/* Settles a trial of trial_plan_regrouped() if there is no doubt left, or if it was the first of
 * its worker (was_alone) and did not hang; otherwise another doubt is noted, or it is repeated
 * alone. */
void trial_doubts_settle_regrouped(
	struct trial_state *state, struct planned_trial *trial, bool was_alone);

/* Whether the trial must run alone now; otherwise it is settled, or waits for another one. */
bool trial_must_repeat(struct planned_trial *trial);

/* After the trials of trial_must_repeat() ran. */
void trial_doubts_decide(struct trial_state *state);

/* --- trial_plan.c: which trials share a process, as modules of a session --- */

/* Plans the trials that apply to the interfaces of a target. */
void trial_plan_target(struct trial_state *state, struct trial_target *target);

/* Plans the first or the second attempt for that many workers. */
void trial_plan_shared(struct trial_state *state, size_t n_workers);

/* Plans a worker for each kind of trials whose doubt was refuted for another object, since an
 * earlier trial of the same object may have caused it: an export that works once, for example. */
void trial_plan_regrouped(struct trial_state *state);

/* Plans a worker for each trial that must run alone now. */
void trial_plan_repeats(struct trial_state *state);

#endif
