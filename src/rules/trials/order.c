// SPDX-License-Identifier: MIT
/*
 * SUAI602, mode L: whether work that is still going on is behind what an interface says, as the
 * trials of --live saw it (docs/facts.md, trials).
 */
#include "rules/trials/lifetime.h"

static void order_check_settled(const struct subject *subject, struct report *report)
{
	const struct value *counts = lifetime_counts(subject, report, "settled");
	long long n_compared = value_int_or(value_get(counts, "compared_bytes"), 0);
	long long n_changed = value_int_or(value_get(counts, "changed_bytes"), 0);
	long long n_held = value_int_or(value_get(counts, "held_changed_bytes"), 0);

	if (n_changed > 0)
		rule_fail(report, NULL,
			"%lld of %lld bytes changed after the interface was read, until the queue of "
			"syclobj had done its work",
			n_changed, n_compared);
	else if (n_held > 0)
		rule_fail(report, NULL,
			"reading the interface submits work and does not wait for it: %lld of %lld "
			"bytes changed until the queue of syclobj had done it",
			n_held, n_compared);
}

const struct rule order_rules[] = {
	{
		LIVE_RULE("sycl", "SUAI602", "settled", WARNING, HAZARD),
		.clause =
			"derived from " CLAUSE_SYCL_PAGE "syclobj (silent on work that is pending)",
		.says = "the elements are complete when the interface is read: they stay as they are while the queue of "
			"syclobj does its work",
		.why = "the interface asks no consumer to wait: one that reads at once gets what is half written, and not on "
		       "every run",
		.fix = "wait for the work, or for the queue, in the property",
		.check = order_check_settled,
	},
	{ .id = NULL },
};
