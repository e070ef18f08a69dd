// SPDX-License-Identifier: MIT
/* CXA004 and CXA701: the table and the tensors of the C exchange API over time (dlpack.h 1.3). */
#include "rules/trials/lifetime.h"

static const char field[] = "__dlpack_c_exchange_api__";

static bool has_exchange(const struct subject *subject)
{
	return value_is(value_get(subject->details, "exchange"), VALUE_MAP);
}

static void cxa_check_table(const struct subject *subject, struct report *report)
{
	const struct value *record, *counts;

	if (!has_exchange(subject))
		return;
	/* What was counted before a function failed still holds. */
	record = lifetime_record(subject, report, "exchange");
	counts = value_get(record, "counts");
	if (!value_bool_or(value_get(counts, "same_table"), true))
		rule_fail(report, field, "two looks at the type give two tables");
	else if (!value_bool_or(value_get(counts, "kept_table"), true))
		rule_fail(report, field, "the table was freed with the capsule that it was in");
	else if (record && value_is_null(value_get(counts, "same_table")))
		lifetime_counts(subject, report, "exchange");
}

/* False where it fails, and tells of it. */
static bool cxa_check_deleter(const struct value *counts, struct report *report)
{
	long long held = (long long)value_int_or(value_get(counts, "held_calls"), 0);
	long long dropped = (long long)value_int_or(value_get(counts, "dropped_calls"), 1);

	if (held > 0 && value_bool_or(value_get(counts, "same_memory"), false))
		rule_fail(report, "managed_tensor_to_py_object_no_sync",
			"the deleter was called while the object made of the tensor was in use");
	else if (dropped != 1)
		rule_fail(report, "managed_tensor_to_py_object_no_sync",
			"the object made of a tensor is gone, and the deleter was called %lld times",
			dropped);
	else
		return true;
	return false;
}

static void cxa_check_round_trip(const struct subject *subject, struct report *report)
{
	const struct value *counts;
	long long left;

	if (!has_exchange(subject))
		return;
	if (lifetime_check_step(subject, report, "exchange", NULL))
		return;
	counts = lifetime_counts(subject, report, "exchange");
	if (!counts || !cxa_check_deleter(counts, report))
		return;
	left = (long long)value_int_or(value_get(counts, "references_left"), 0);
	if (left)
		rule_fail(report, "managed_tensor_from_py_object_no_sync",
			"there and back %s %llu reference%s to the object",
			left > 0 ? "left" : "took away",
			left > 0 ? (unsigned long long)left : -(unsigned long long)left,
			left == 1 || left == -1 ? "" : "s");
	else
		lifetime_check_rounds(subject, report, "exchange", "exports");
}

const struct rule exchange_lifetime_rules[] = {
	{
		LIFETIME_RULE("dlpack", "CXA004", "exchange-stays", ERROR, MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI (\"must stay alive throughout the lifetime of the process\")",
		.says = "each look at the type gives the same table, which stays when the capsule is gone",
		.why = "consumers keep the table for all objects of the type, and call into freed memory",
		.fix = "let the capsule point to a static table, without a destructor",
		.check = cxa_check_table,
	},
	{
		LIFETIME_RULE("dlpack", "CXA701", "exchange-owner", ERROR, MUST),
		.needs = { "CXA004" },
		.said_by = { "DLP703", "DLP710" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorToPyObjectNoSync (\"the ownership of the tensor is stolen\"); "
		"DLManagedTensorVersioned.deleter",
		.says = "an export that is given back belongs to the object made of it, whose end calls the deleter once, and leaves "
			"neither references nor memory behind",
		.why = "memory is freed twice, or under an array that is in use, or never",
		.fix = "keep the managed tensor in the new object and call its deleter once when that goes; take one reference to the "
		       "owner for an export",
		.check = cxa_check_round_trip,
	},
	{ .id = NULL },
};
