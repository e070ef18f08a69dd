// SPDX-License-Identifier: MIT
/*
 * --lifetime and --live: the trials of model/trials.h. Targets wait in a queue until the session
 * that captured them is over; a second session then runs their trials, each in a worker of its own,
 * one after the other.
 */
#ifndef RUN_TRIALS_H
#define RUN_TRIALS_H

#include "base/progress.h"
#include "run/run.h"

struct trial_queue {
	struct trial_target *items;
	size_t n_items;
};

/* Whether the job asks for trials. */
bool trials_requested(const struct run *run);

/* Appends a target of the job's module; takes arena, which holds it and is left empty, and keeps
 * module, NULL for a target that is only to be passed on in order. */
void trials_queue(struct trial_queue *queue, struct arena *arena, const struct fact_target *target,
	const struct job_module *module);

/* Who gets a target once its trials are done. */
struct trial_receiver {
	int (*on_target)(
		void *context, struct arena *arena, struct fact_target *target, struct err *err);
	void *context;
};

/*
 * Runs the trials that the interfaces of the queued targets have, puts their records into
 * its trials and passes each target on, in order. Shows how many are done in progress, which
 * ends with them. Fails where no worker can be run, the user interrupts, or the receiver fails.
 */
int trials_run(struct run *run, struct trial_queue *queue, struct progress *progress,
	const struct trial_receiver *receiver, struct err *err);

void trials_free(struct trial_queue *queue);

#endif
