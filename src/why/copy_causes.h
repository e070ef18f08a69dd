// SPDX-License-Identifier: MIT
/* Experiments that find out why a consumer copies. */
#ifndef WHY_COPY_CAUSES_H
#define WHY_COPY_CAUSES_H

#include "why/why.h"

/* Adds attempts with `tests` set. */
void why_plan_copy_experiments(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts);

/* Sets the cause of the copy from the result of an experiment. */
void why_take_copy_experiment(struct arena *arena, struct fact_target *target,
	const struct copy_experiment *experiment, const struct fact_why *tried);

#endif
