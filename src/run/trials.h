// SPDX-License-Identifier: MIT
/*
 * --lifetime and --live: the trials of model/trials.h. Targets wait in a queue until the
 * session that captured them is over; further sessions then run their trials.
 */
#ifndef RUN_TRIALS_H
#define RUN_TRIALS_H

#include "base/progress.h"
#include "run/run.h"

struct trial_queue {
	struct trial_target *items;
	size_t n_items;
};

/* Whether the job requests trials. */
bool trials_requested(const struct run *run);

/* Appends a target of the job's module; takes arena, which holds it and is left empty, and keeps
 * module, NULL for a target without trials, which is only passed on in order. */
void trials_queue(struct trial_queue *queue, struct arena *arena, const struct fact_target *target,
	const struct job_module *module);

/* Receives a target once its trials are done. */
struct trial_receiver {
	int (*on_target)(
		void *context, struct arena *arena, struct fact_target *target, struct err *err);
	void *context;
};

/*
 * Runs the trials of the queued targets, adds their records to the targets and passes the targets
 * on, in order. Counts the trials in progress, and ends it. Fails if no worker can be run, the user
 * interrupts, or the receiver fails; the other targets are then passed on with the trials that are
 * settled.
 */
int trials_run(struct run *run, struct trial_queue *queue, struct progress *progress,
	const struct trial_receiver *receiver, struct err *err);

/* Passes the queued targets on without trials: the session that captured them failed. */
void trials_abandon(
	struct run *run, struct trial_queue *queue, const struct trial_receiver *receiver);

void trials_free(struct trial_queue *queue);

#endif
