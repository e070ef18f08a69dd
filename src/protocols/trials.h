// SPDX-License-Identifier: MIT
/* The trials (model/trials.h) that apply to an interface, and the record of one that ran in a
 * process of its own. */
#ifndef PROTOCOLS_TRIALS_H
#define PROTOCOLS_TRIALS_H

#include "base/arena.h"
#include "facts/facts.h"
#include "model/job.h"
#include "model/trials.h"

struct trial_kind {
	const char *name;
	enum job_facts fact; /* that requests it */
	int flags;           /* of enum trial_flags */
};

/* In the order of TRIAL_LIST; ends with a NULL name. */
extern const struct trial_kind trial_kinds[];

/* Whether the interface has the trial, and the job requests it. */
bool trial_applies(struct arena *arena, const struct job *job, const struct trial_kind *kind,
	const struct fact_interface *interface);

/*
 * Fills record from the target that a process reported, tried, or that was reported of it because
 * it ended early; then last_step is its last one, null if the trial had not started. False: the
 * record is only the reason why there is no result. Keeps all texts.
 */
bool trial_take_record(struct arena *arena, const struct job_trial *id,
	const struct fact_target *tried, const struct fact_trial_step *last_step,
	struct fact_trial *record);

#endif
