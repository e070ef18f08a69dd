// SPDX-License-Identifier: MIT
#include "run/consumer_outcome.h"

#include "base/arena.h"

static bool have_error(const struct fact_finding_list *findings)
{
	for (size_t i = 0; i < findings->n_items; i++)
		if (findings->items[i].severity == SEVERITY_ERROR)
			return true;
	return false;
}

void consumer_outcome_add(struct consumer_outcome *outcome,
	const struct fact_consumption *consumption, const struct fact_finding_list *findings)
{
	if (!fact_text_is(consumption->expected, "elements"))
		return;
	outcome->n_valid++;
	if (consumption->outcome == TRIAL_UNAVAILABLE && !outcome->n_unavailable++)
		outcome->unavailable = arena_printf(&outcome->arena, "%s",
			fact_text_or(consumption->error.message, "no reason was reported"));
	if (consumption->outcome != TRIAL_RAISED || have_error(findings))
		return;
	outcome->n_rejected++;
	if (!outcome->error)
		outcome->error = arena_printf(&outcome->arena, "%s",
			fact_exception(&outcome->arena, consumption->error.type,
				consumption->error.message));
}

bool consumer_outcome_fails(
	struct consumer_outcome *outcome, const char *consumer, struct fact_target *target)
{
	if (outcome->n_valid < 2 || outcome->n_rejected < outcome->n_valid)
		return false;
	*target = (struct fact_target){ .present = true,
		.target = consumer,
		.status = STATUS_RAISED,
		.step = "consume",
		.error = { .present = true,
			.message = arena_printf(&outcome->arena,
				"the consumer rejects all %lld valid tensors, so that nothing could be checked; the first with %s",
				(long long)outcome->n_valid, outcome->error) } };
	return true;
}

const char *consumer_outcome_unchecked(struct consumer_outcome *outcome)
{
	if (!outcome->n_valid || outcome->n_unavailable < outcome->n_valid)
		return NULL;
	return arena_printf(&outcome->arena,
		"no valid tensor was passed to the consumer, so that it was not checked: %s",
		outcome->unavailable);
}
