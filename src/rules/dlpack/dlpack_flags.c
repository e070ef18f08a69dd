// SPDX-License-Identifier: MIT
/*
 * DLP707, DLP805, DLP806 and DLP813: the deleter, and what flags says of copies and of writing
 * (dlpack.h 1.3), against what else is known of the object.
 */
#include "rules/dlpack/dlpack.h"

#include <inttypes.h>

static void dlp_check_deleter(const struct subject *subject, struct report *report)
{
	if (dlpack_tensor(subject, report) &&
		!dlpack_is_set(value_get(subject->declared, "deleter")))
		rule_fail(report, "deleter", "deleter is NULL");
}

/* Bytes that both arrays reach. */
static bool share_bytes(const struct array *a, const struct array *b)
{
	uint64_t a_low, a_high, b_low, b_high;
	struct err ignored;

	return !array_extent(a, &a_low, &a_high, &ignored) &&
	       !array_extent(b, &b_low, &b_high, &ignored) && a_low < b_high && b_low < a_high;
}

/* Another export, which is alive as well, has its elements at the same place. */
static const char *find_same_export(const struct subject *subject)
{
	for (size_t i = 0; i < dlpack_n_calls(subject); i++) {
		const struct value *call = dlpack_call(subject, i);
		uint64_t address;

		if (call != dlpack_shown_call(subject) &&
			value_to_address(value_get(call, "pointer"), &address) &&
			address == subject->array->pointer)
			return value_text_or(value_get(call, "step"), "another call");
	}
	return NULL;
}

static void dlp_check_copied(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report), *other;
	const char *by = NULL;
	size_t next = 0;

	if (!array || !(dlpack_flags(subject) & DLPACK_IS_COPIED) || array_elements(array) == 0)
		return;
	while ((other = dlpack_next_beside(subject, &next, &by)))
		if (share_bytes(array, other))
			break;
	if (!other)
		by = find_same_export(subject);
	if (by)
		rule_fail(report, "flags",
			"flags says that the tensor is a copy, and %s has the same memory, 0x%" PRIx64,
			by, array->pointer);
}

/* What the object says of itself, where that is judged: in a versioned struct that is no copy. */
static bool read_own_flag(const struct subject *subject, struct report *report, bool *readonly)
{
	const struct value *own = value_at(subject->target, "own.readonly");

	if (!dlpack_tensor(subject, report) || !dlpack_read_version(subject).is_versioned ||
		dlpack_flags(subject) & DLPACK_IS_COPIED)
		return false;
	if (!value_is(own, VALUE_BOOL)) {
		rule_skip(report, "the object does not say elsewhere whether it may be written");
		return false;
	}
	*readonly = own->boolean;
	return true;
}

static void dlp_check_readonly_kept(const struct subject *subject, struct report *report)
{
	bool readonly = false;

	if (read_own_flag(subject, report, &readonly) && readonly &&
		!(dlpack_flags(subject) & DLPACK_READ_ONLY))
		rule_fail(report, "flags",
			"flags does not say read-only, and the object itself is read-only");
}

static void dlp_check_writable_kept(const struct subject *subject, struct report *report)
{
	bool readonly = false;

	if (read_own_flag(subject, report, &readonly) && !readonly &&
		dlpack_flags(subject) & DLPACK_READ_ONLY)
		rule_fail(
			report, "flags", "flags says read-only, and the object itself is writable");
}

const struct rule dlpack_flags_rules[] = {
	{
		DLPACK_EACH("DLP707", "deleter", NOTE, MAY),
		.clause = CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter (\"It can be NULL\")",
		.says = "the managed tensor has a deleter, although it need not have one",
		.why = "NULL is legal, and says that the memory is never freed; a consumer that does not test for it "
		       "crashes",
		.fix = "nothing to mend where nothing is to be freed; a function that does nothing is safer",
		.check = dlp_check_deleter,
	},
	{
		DLPACK_EACH("DLP805", "copied-flag", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_IS_COPIED (\"solely owned\")",
		.says = "the flag for a copy is not set where the tensor shares memory with the object or another export",
		.why = "a consumer writes into what it takes for a copy of its own, and changes the producer's array",
		.fix = "set DLPACK_FLAG_BITMASK_IS_COPIED only on memory that was made for this export",
		.check = dlp_check_copied,
	},
	{
		DLPACK_EACH("DLP806", "readonly-flag", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_READ_ONLY; " CLAUSE_ARRAY_API
					  "array.__dlpack__ Notes",
		.says = "an array that is read-only sets the flag for it, unless the tensor is a copy",
		.why = "consumers hand out a writable array over memory that the producer counts on: constants change, or the "
		       "process ends with a segmentation fault",
		.fix = "set DLPACK_FLAG_BITMASK_READ_ONLY where the array may not be written",
		.check = dlp_check_readonly_kept,
	},
	{
		DLPACK_EACH("DLP813", "writable-flag", ERROR, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_READ_ONLY",
		.says = "the flag for read-only is not set on an array that may be written",
		.why = "consumers give a read-only array, and code that writes into it fails; a round trip loses the "
		       "right to write",
		.fix = "set DLPACK_FLAG_BITMASK_READ_ONLY from the array's own flag",
		.check = dlp_check_writable_kept,
	},
	{ .id = NULL },
};
