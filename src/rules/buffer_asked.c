// SPDX-License-Identifier: MIT
/* BUF108 to BUF113: what a Py_buffer holds against what was asked for, and forms that few read. */
#include "rules/buffer.h"

#include <string.h>

static void check_direct(const struct subject *subject, struct report *report)
{
	if (buffer_is_indirect(value_get(buffer_given(subject), "suboffsets")))
		rule_fail(report, "suboffsets", "the buffer holds pointers to rows, not the rows");
}

static void check_asked(const struct subject *subject, struct report *report)
{
	const struct value *declared = buffer_given(subject);
	int64_t n_dims = buffer_number(subject, "ndim");

	if (n_dims == 1 && value_is_null(value_get(declared, "shape")))
		rule_fail(report, "shape", "shape is NULL, and was asked for (PyBUF_ND)");
	if (n_dims > 0 && value_is_null(value_get(declared, "strides")))
		rule_fail(report, "strides", "strides is NULL, and was asked for (PyBUF_STRIDES)");
}

/* The fields that a request asks for; all others must be NULL. */
static const struct {
	const char *request, *asks_for;
} requests[] = {
	{ "PyBUF_SIMPLE", "" },
	{ "PyBUF_ND", "shape" },
	{ "PyBUF_STRIDES", "shape strides" },
};

/* "format, shape (PyBUF_SIMPLE)", or NULL. */
static const char *show_unasked(
	struct arena *arena, const struct value *record, const char *asks_for)
{
	const struct value *set = value_get(record, "set");
	const char *names = NULL;

	for (size_t i = 0; value_is_sequence(set) && i < set->n_items; i++) {
		const char *name = value_text_or(set->items[i], "");

		if (!strstr(asks_for, name))
			names = names ? arena_printf(arena, "%s, %s", names, name) : name;
	}
	return names ? arena_printf(arena, "%s (%s)", names,
			       value_text_or(value_get(record, "request"), "?"))
		     : NULL;
}

static const char *asked_by(const struct value *record)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (value_is_text(value_get(record, "request"), requests[i].request))
			return requests[i].asks_for;
	return "format shape strides suboffsets";
}

static void check_unasked(const struct subject *subject, struct report *report)
{
	const struct value *records = value_get(subject->details, "requests");
	struct arena *arena = subject->arena;
	const char *all = NULL;

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++) {
		const char *names =
			show_unasked(arena, records->items[i], asked_by(records->items[i]));

		if (names)
			all = all ? arena_printf(arena, "%s; %s", all, names) : names;
	}
	if (all)
		rule_fail(report, NULL, "not NULL, although not asked for: %s", all);
}

static void check_padding(const struct subject *subject, struct report *report)
{
	if (buffer_lacks_padding(subject))
		rule_fail(report, "format",
			"format '%.60s' leaves padding out: its members take %lld bytes, itemsize is %lld",
			buffer_format(subject),
			(long long)dtype_pep3118_bytes(buffer_format(subject)),
			(long long)buffer_number(subject, "itemsize"));
}

static void check_same(const struct subject *subject, struct report *report)
{
	static const char *const keys[] = { "len", "itemsize" };
	const struct value *records = value_get(subject->details, "requests");

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++)
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			const struct value *value = value_get(records->items[i], keys[k]);

			if (!value_is_null(value) &&
				!value_equal(value, value_get(subject->declared, keys[k])))
				rule_fail(report, keys[k],
					"%s is %s by %s, and %lld by PyBUF_FULL_RO", keys[k],
					shared_show(subject->arena, value),
					value_text_or(value_get(records->items[i], "request"), "?"),
					(long long)buffer_number(subject, keys[k]));
		}
}

const struct rule buffer_asked_rules[] = {
	{
		BUFFER_RULE("BUF108", "fields-asked", WARNING, MUST),
		.needs = { "BUF104" },
		.clause =
			CLAUSE_BUFFER "PyBUF_INDIRECT; PyBUF_STRIDES; PyBUF_ND (table of requests)",
		.says = "shape and strides are not NULL where they were asked for and ndim is not 0",
		.why = "a consumer that asked for strides indexes them, and crashes on NULL",
		.fix = "fill in strides whenever flags hold PyBUF_STRIDES, even for a contiguous buffer",
		.check = check_asked,
	},
	{
		BUFFER_RULE("BUF109", "indirect", WARNING, HAZARD),
		.needs = { "BUF107" },
		.clause = CLAUSE_BUFFER "PIL-style: shape and strides and suboffsets",
		.says = "elements are reached by strides alone, without pointers in between",
		.why = "hardly a consumer follows such pointers: NumPy took them for elements (numpy#5526); suai does not "
		       "judge the layout",
		.fix = "export a block of memory; refuse the request where that cannot be",
		.check = check_direct,
	},
	{
		BUFFER_RULE("BUF110", "fields-unasked", NOTE, MUST),
		.clause = CLAUSE_BUFFER
		"PyBUF_FORMAT (\"Otherwise, this field MUST be NULL\"); PyBUF_STRIDES; PyBUF_ND",
		.says = "format, shape, strides and suboffsets are NULL where they were not asked for",
		.why = "a consumer that asked for plain bytes and finds a format may take it at its word; most look at nothing "
		       "that they did not ask for",
		.fix = "leave NULL what flags do not name; PyBuffer_FillInfo does it for plain bytes",
		.check = check_unasked,
	},
	{
		BUFFER_RULE("BUF111", "format-padding", WARNING, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.itemsize (\"Same as the value of struct.calcsize() called on non-NULL format values\")",
		.says = "format names the padding of a structure",
		.why = "NumPy warns and guesses where the fields are, others find every field after the gap in the wrong place "
		       "(ctypes structures before Python 3.12)",
		.fix = "write padding as 'x' (\"T{<i:a:4x<d:b:}\"), or leave byte orders out so that alignment counts",
		.check = check_padding,
	},
	{
		BUFFER_RULE("BUF113", "request-independent", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"request-independent fields (\"must always be filled in with the correct values\")",
		.says = "len and itemsize are the same for every request",
		.why = "a consumer that asks for plain bytes gets another amount of memory than one that asks for elements",
		.fix = "fill in len and itemsize before looking at flags",
		.check = check_same,
	},
	{ .id = NULL },
};
