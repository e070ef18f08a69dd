// SPDX-License-Identifier: MIT
/* What the results of experiments show about the cause of a refusal. */
#ifndef WHY_CONCLUSIONS_H
#define WHY_CONCLUSIONS_H

#include "why/why.h"

/* Sets the cause and the message of target->why if the results of the attempts show the cause. */
void why_conclude(struct arena *arena, struct fact_target *target,
	const struct why_attempts *attempts, const struct fact_target *results);

#endif
