// SPDX-License-Identifier: MIT
/*
 * The signature of __dlpack__ and max_version (array API), and arrays that a capsule cannot
 * describe.
 */
#include "rules/dlpack/dlpack_grid.h"

#include <string.h>

static void dlp_check_keyword_only(const struct subject *subject, struct report *report)
{
	struct dlpack_grid grid;
	const struct fact_call *cell;

	if (!dlpack_grid_read(&grid, subject, report))
		return;
	cell = dlpack_grid_find(&grid, "__dlpack__(None)");
	if (cell && cell->outcome == CALL_RETURNED)
		rule_fail(report, NULL,
			"__dlpack__(None) is accepted: an argument can be passed by position");
}

static void dlp_check_keywords(const struct subject *subject, struct report *report)
{
	struct dlpack_grid grid;
	const char *missing;

	if (!dlpack_grid_read(&grid, subject, report))
		return;
	missing = arena_printf(subject->arena, "%s%s%s", grid.takes_version ? "" : ", max_version",
		grid.takes_device ? "" : ", dl_device", grid.takes_copy ? "" : ", copy");
	if (*missing)
		rule_fail(report, NULL, "__dlpack__ does not accept the keyword%s %s",
			strchr(missing + 2, ',') ? "s" : "", missing + 2);
}

static void dlp_check_unknown_keyword(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	struct dlpack_grid grid;
	const struct fact_call *cell;

	if (!dlpack_grid_read(&grid, subject, report))
		return;
	cell = dlpack_grid_find(&grid, "__dlpack__(suai_unknown_keyword=None)");
	if (!cell || fact_text_is(cell->exception, "TypeError"))
		return;
	dlpack_cells_add(&wrong, cell);
	if (cell->outcome == CALL_RETURNED)
		dlpack_cells_report(&wrong, report, NULL,
			"returned a value, expected TypeError for the unknown keyword");
	else if (grid.plain_returned)
		dlpack_cells_report_raised(&wrong, report, NULL, ", expected TypeError");
}

/* Whether it is a pair of integers, of any value. */
static bool is_version_pair(const struct value *version)
{
	return value_is_sequence(version) && version->n_items == 2 &&
	       value_is_integer(version->items[0]) && value_is_integer(version->items[1]);
}

/* Whether a call returned a capsule that was still held, which DLP708 reports; later calls return
 * it as it was renamed when it was consumed. */
static bool returns_one_capsule(const struct subject *subject)
{
	const struct fact_call_list *calls = &subject->target->calls;

	for (size_t i = 0; i < calls->n_items; i++)
		if (calls->items[i].returned_again == ANSWER_YES)
			return true;
	return false;
}

static void dlp_check_odd_versions(const struct subject *subject, struct report *report)
{
	struct dlpack_cells no_capsule = { 0 }, accidents = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!dlpack_grid_read(&grid, subject, report))
		return;
	while ((cell = dlpack_grid_next(&grid, &next))) {
		if (dlpack_cell_omits(cell, "max_version") || !dlpack_cell_omits(cell, "stream"))
			continue;
		if (cell->outcome == CALL_RETURNED && !dlpack_is_capsule_name(cell->capsule) &&
			!returns_one_capsule(subject))
			dlpack_cells_add(&no_capsule, cell);
		else if (is_version_pair(dlpack_cell_argument(cell, "max_version")) &&
			 dlpack_cell_omits(cell, "copy") && dlpack_cell_omits(cell, "dl_device") &&
			 dlpack_cell_is_accident(cell) &&
			 !dlpack_cell_raised_without_keywords(&grid, cell))
			dlpack_cells_add(&accidents, cell);
	}
	dlpack_cells_report(&no_capsule, report, "max_version",
		"returned something other than a DLPack capsule");
	dlpack_cells_report_raised(
		&accidents, report, "max_version", ", expected a capsule or BufferError");
}

static const char *show_struct_version(struct arena *arena, const struct fact_call *call)
{
	if (call->version.n_items != 2)
		return "a result without a version";
	return arena_printf(arena, "a struct of version %lld.%lld",
		(long long)call->version.items[0], (long long)call->version.items[1]);
}

/* A result without a version is older than any other. */
static bool is_older_version(const struct fact_ints *a, const struct fact_ints *b)
{
	if (a->n_items != 2 || b->n_items != 2)
		return a->n_items < b->n_items;
	return a->items[0] < b->items[0] ||
	       (a->items[0] == b->items[0] && a->items[1] < b->items[1]);
}

static void dlp_check_newer_version(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *known, *newer;
	struct dlpack_grid grid;

	if (!dlpack_grid_read(&grid, subject, report))
		return;
	known = dlpack_grid_find(&grid, "__dlpack__(max_version=(1, 3))");
	newer = dlpack_grid_find(&grid, "__dlpack__(max_version=(99, 0))");
	if (!known || !newer || known->outcome != CALL_RETURNED)
		return;
	dlpack_cells_add(&wrong, newer);
	if (newer->outcome != CALL_RETURNED)
		dlpack_cells_report_raised(&wrong, report, "max_version",
			", but __dlpack__(max_version=(1, 3)) raised no exception");
	else if (is_older_version(&newer->version, &known->version))
		dlpack_cells_report(&wrong, report, "max_version",
			arena_printf(subject->arena,
				"returned %s, but __dlpack__(max_version=(1, 3)) returned %s",
				show_struct_version(subject->arena, newer),
				show_struct_version(subject->arena, known)));
}

static void dlp_check_legacy_warning(const struct subject *subject, struct report *report)
{
	const struct fact_call *call = dlpack_held_call(subject, 0);

	if (!call || !dlpack_cell_omits(call, "max_version"))
		return;
	for (size_t i = 0; i < call->warnings.n_items; i++) {
		const char *text = call->warnings.items[i];

		if (!strncmp(text, "DeprecationWarning", strlen("DeprecationWarning")) ||
			!strncmp(text, "FutureWarning", strlen("FutureWarning"))) {
			rule_fail(report, NULL, "%s emitted %s", call->step,
				fact_message_line(subject->arena, text));
			return;
		}
	}
}

/* What the object reports about itself that a capsule cannot express, and the consequence; or NULL.
 */
static const char *show_unfit(const struct subject *subject, const char **why)
{
	const struct fact_self_reported *own = &subject->target->own;

	if (own->requires_grad == ANSWER_YES) {
		*why = "operations of the consumer are not recorded, and gradients are silently wrong";
		return "requires gradients";
	}
	if (own->masked == ANSWER_YES) {
		*why = "the consumer treats masked elements as valid";
		return "has masked elements";
	}
	*why = "only the part of the array that is on one of the devices is visible to the consumer";
	return own->shards.value > 1 ? arena_printf(subject->arena, "is on %lld devices",
					       (long long)own->shards.value)
				     : NULL;
}

/* A copy that was requested is a separate array. DLP808 checks other exceptions. */
static void dlp_check_unfit(const struct subject *subject, struct report *report)
{
	const struct fact_call_list *calls = &subject->target->calls;
	struct dlpack_cells exported = { 0 }, silent = { 0 };
	const char *why, *unfit = show_unfit(subject, &why);

	for (size_t i = 0; unfit && i < calls->n_items; i++) {
		const struct fact_call *call = &calls->items[i];

		if (value_bool_or(dlpack_cell_argument(call, "copy"), false))
			continue;
		if (call->outcome == CALL_RETURNED && dlpack_is_capsule_name(call->capsule))
			dlpack_cells_add(&exported, call);
		else if (call->outcome == CALL_REFUSED && !*fact_text_or(call->error.message, ""))
			dlpack_cells_add(&silent, call);
	}
	rule_set_why(report, why);
	dlpack_cells_report(&exported, report, NULL,
		arena_printf(subject->arena, "returned a capsule, but the array %s",
			unfit ? unfit : ""));
	rule_set_why(
		report, "the exception does not state what the user can do to export the array");
	dlpack_cells_report(&silent, report, NULL, "raised BufferError without a message");
}

const struct rule dlpack_keywords_rules[] = {
	{
		DLPACK_CALLS("DLP004", "keyword-only", NOTE, MUST),
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ (\"*, stream\")",
		.summary = "the parameters of __dlpack__ are keyword-only",
		.why = "a call that passes an argument by position, such as __dlpack__(stream), works with this library, but raises TypeError with libraries that follow the standard",
		.fix = "declare def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None)",
		.check = dlp_check_keyword_only,
	},
	{
		DLPACK_CALLS("DLP005", "keywords", WARNING, SHOULD),
		.clause = CLAUSE_ARRAY_API
		"array.__dlpack__ max_version; array.__dlpack__ dl_device; "
		"array.__dlpack__ copy",
		.since = "array-api=2023.12",
		.summary = "__dlpack__ accepts max_version, dl_device and copy",
		.why = "a consumer that passes a missing one gets TypeError, and fails, as PyArrow does, or repeats the call with fewer keywords, as numpy.from_dlpack(x) does; without max_version, it gets a legacy capsule, which cannot express read-only access",
		.fix = "declare def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None)",
		.check = dlp_check_keywords,
	},
	{
		DLPACK_CALLS("DLP006", "unknown-keyword", ERROR, FACT),
		.clause = "derived from " CLAUSE_ARRAY_API "array.__dlpack__ Notes",
		.summary = "__dlpack__ raises TypeError for a keyword that it does not support",
		.why = "if a call raises TypeError, consumers such as NumPy and PyTorch repeat it with fewer keywords: a producer that accepts "
		       "every keyword silently ignores requests, and one that raises another exception makes the import fail",
		.fix = "declare def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None); Python then raises TypeError for other keywords",
		.check = dlp_check_unknown_keyword,
	},
	{
		DLPACK_CALLS("DLP809", "any-max-version", WARNING, MUST),
		.subsumed_by = { "DLP101", "DLP102" },
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ max_version",
		.since = "array-api=2023.12",
		.summary =
			"for any max_version, a value that __dlpack__ returns is a DLPack capsule; for a pair of integers, an exception "
			"that indicates a bug, such as AttributeError, does not propagate",
		.why = "a consumer that passes a version that the library does not expect gets a value that it cannot import, or an internal "
		       "exception, such as AttributeError or KeyError, that it does not handle",
		.fix = "raise TypeError unless max_version is None or a pair of integers; if max_version[0] is below 1, return a legacy capsule or raise BufferError; test with (0, 8) and (99, 0)",
		.check = dlp_check_odd_versions,
	},
	{
		DLPACK_CALLS("DLP810", "newer-version", ERROR, MUST),
		.requires = { "DLP104" },
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ max_version (\"maximum\")",
		.since = "array-api=2023.12",
		.summary =
			"with a max_version above every version that the producer supports, __dlpack__ returns a struct of the newest one",
		.why = "a consumer built for a later version of DLPack cannot import the array, or gets an older struct, although it supports "
		       "the newest version of the producer",
		.fix = "treat max_version as an upper bound: return a struct of the newest supported version that is not above it",
		.check = dlp_check_newer_version,
	},
	{
		DLPACK_CALLS("DLP811", "legacy-warning", NOTE, HAZARD),
		.clause = "derived from " CLAUSE_ARRAY_API "array.__dlpack__ Notes",
		.summary =
			"an export without max_version emits no DeprecationWarning or FutureWarning",
		.why = "a consumer library makes this call, not the user's code: with -W error, the warning is raised as an exception in "
		       "code that the user cannot change",
		.fix = "emit the warning in functions that users call directly, or not at all",
		.check = dlp_check_legacy_warning,
	},
	{
		DLPACK_RULE("DLP812", "unsupported-refused", WARNING, HAZARD),
		.optional_facts = FACT_CALLS,
		.clause = "derived from " CLAUSE_ARRAY_API "array.__dlpack__ Raises",
		.summary =
			"the export of an array that requires gradients, has masked elements, or is on several devices is refused with a "
			"reason, unless a copy is requested",
		.why = "operations of the consumer are not recorded, and gradients are silently wrong; masked elements are treated as "
		       "valid; of an array on several devices, only the part on one of them is visible",
		.fix = "raise BufferError with a message that states what the user can do: detach, fill, gather, or request a copy",
		.check = dlp_check_unfit,
	},
	{ .id = NULL },
};
