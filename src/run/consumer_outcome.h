// SPDX-License-Identifier: MIT
/* What a consumer accepts of all tensors that it is passed. */
#ifndef RUN_CONSUMER_OUTCOME_H
#define RUN_CONSUMER_OUTCOME_H

#include "facts/facts.h"

/* Zero-initialise; free the arena. */
struct consumer_outcome {
	struct arena arena;
	int64_t n_valid;         /* tensors of which a consumer can return the elements */
	int64_t n_rejected;      /* those for which it raises an exception and nothing is found */
	const char *error;       /* the exception for the first of them */
	int64_t n_unavailable;   /* those that could not be made */
	const char *unavailable; /* why not the first of them */
};

/* Counts a tensor and what was found. */
void consumer_outcome_add(struct consumer_outcome *outcome,
	const struct fact_consumption *consumption, const struct fact_finding_list *findings);

/* Whether the consumer rejects several valid tensors and accepts none, so that nothing was checked.
 * Sets *target to a failed target with the name of the consumer. */
bool consumer_outcome_fails(
	struct consumer_outcome *outcome, const char *consumer, struct fact_target *target);

/* A message if no valid tensor could be made, so that a run without findings proves nothing;
 * otherwise NULL. */
const char *consumer_outcome_unchecked(struct consumer_outcome *outcome);

#endif
