// SPDX-License-Identifier: MIT
/* Experiments that find the cause of a refusal. */
#ifndef WHY_EXPERIMENTS_H
#define WHY_EXPERIMENTS_H

#include "why/why.h"

/* Calls of the consumer with other objects; none if the array is large. */
struct why_attempts why_plan_experiments(
	struct arena *arena, const struct fact_target *target, const struct why_names *names);

/* Sets the cause and the message of target->why if the results of the attempts show the cause. */
void why_conclude(struct arena *arena, struct fact_target *target,
	const struct why_attempts *attempts, const struct fact_target *results);

#endif
