// SPDX-License-Identifier: MIT
/* --lifetime and --live: the trials of model/trials.h, each in a worker of its own, one after the
 * other. */
#ifndef RUN_TRIALS_H
#define RUN_TRIALS_H

#include "base/progress.h"
#include "run/run.h"

/*
 * Holds the trials that the target's interfaces have and puts their records into facts.trials; an
 * empty list where run->job asks for none. module is the target's of the job; targets, what is
 * shown of them, is taken away for the trials' own. Fails where no worker can be run, or the user
 * interrupts.
 */
int trials_hold(struct run *run, struct arena *arena, const struct value *module,
	struct value *facts, struct progress *targets, struct err *err);

#endif
