// SPDX-License-Identifier: MIT
/* BUF108 to BUF113: what a Py_buffer holds against what was asked for, and forms that few read. */
#include "rules/buffer/buffer.h"

#include <string.h>

static void buf_check_direct(const struct subject *subject, struct report *report)
{
	if (buffer_is_indirect(value_get(buffer_given(subject), "suboffsets")))
		rule_fail(report, "suboffsets", "the buffer holds pointers to rows, not the rows");
}

/* "(3, 4)", "12". */
static const char *show_field(struct arena *arena, const struct value *value)
{
	const char *items = "";

	if (!value_is_sequence(value))
		return value_is(value, VALUE_TEXT) ? value->bytes : shared_show(arena, value);
	for (size_t i = 0; i < value->n_items && i < 8; i++)
		items = arena_printf(
			arena, "%s%s%s", items, i ? ", " : "", shared_show(arena, value->items[i]));
	return arena_printf(arena, "(%s%s)", items,
		value->n_items > 8    ? ", ..."
		: value->n_items == 1 ? ","
				      : "");
}

const struct buffer_request *buffer_request_of(const struct value *record)
{
	static const struct buffer_request requests[] = {
		{ "PyBUF_SIMPLE", "", false },
		{ "PyBUF_FORMAT", "format", false },
		{ "PyBUF_WRITABLE", "", true },
		{ "PyBUF_WRITABLE|PyBUF_FORMAT", "format", true },
		{ "PyBUF_ND", "shape", false },
		{ "PyBUF_ND|PyBUF_FORMAT", "format shape", false },
		{ "PyBUF_CONTIG", "shape", true },
		{ "PyBUF_CONTIG|PyBUF_FORMAT", "format shape", true },
		{ "PyBUF_STRIDES", "shape strides", false },
		{ "PyBUF_C_CONTIGUOUS", "shape strides", false },
		{ "PyBUF_F_CONTIGUOUS", "shape strides", false },
		{ "PyBUF_ANY_CONTIGUOUS", "shape strides", false },
		{ "PyBUF_FULL", "format shape strides suboffsets", true },
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (value_is_text(value_get(record, "request"), requests[i].name))
			return &requests[i];
	return NULL;
}

bool buffer_asks_for(const struct buffer_request *request, const char *field)
{
	return strstr(request->asks_for, field) != NULL;
}

const struct value *buffer_next_granted(const struct subject *subject, size_t *next)
{
	const struct value *records = value_get(subject->details, "requests");

	while (value_is_sequence(records) && *next < records->n_items) {
		const struct value *record = records->items[(*next)++];

		if (buffer_request_of(record) &&
			value_is_text(value_get(record, "outcome"), "returned"))
			return record;
	}
	return NULL;
}

bool buffer_is_same_block(const struct subject *subject, const struct value *record)
{
	uint64_t buf, full, low, high;
	struct err ignored;

	if (!value_to_address(value_get(record, "buf"), &buf) ||
		!value_to_address(value_get(subject->declared, "buf"), &full) || buf == full)
		return true;
	return subject->array && !array_extent(subject->array, &low, &high, &ignored) &&
	       buf >= low && buf < high;
}

static bool sets_field(const struct value *record, const char *field)
{
	const struct value *set = value_get(record, "set");

	for (size_t i = 0; value_is_sequence(set) && i < set->n_items; i++)
		if (value_is_text(set->items[i], field))
			return true;
	return false;
}

/* The fields that a lesser request asks for, and that PyBUF_FULL_RO was given, are there too. */
static void buf_check_lesser(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "format", "shape", "strides" };
	const struct value *record;

	for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++)
		for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
			const struct buffer_request *request = buffer_request_of(record);
			int64_t n_dims = value_int_or(
				value_get(record, "ndim"), buffer_number(subject, "ndim"));

			if (!buffer_asks_for(request, fields[f]) || sets_field(record, fields[f]) ||
				value_is_null(value_get(subject->declared, fields[f])) ||
				(n_dims == 0 && strcmp(fields[f], "format") != 0))
				continue;
			rule_fail(report, fields[f], "%s is NULL for %s, which asks for it",
				fields[f], request->name);
			break;
		}
}

static void buf_check_asked(const struct subject *subject, struct report *report)
{
	const struct value *declared = buffer_given(subject);
	int64_t n_dims = buffer_number(subject, "ndim");

	if (n_dims == 1 && value_is_null(value_get(declared, "shape")))
		rule_fail(report, "shape", "shape is NULL, and was asked for (PyBUF_ND)");
	if (n_dims > 0 && value_is_null(value_get(declared, "strides")))
		rule_fail(report, "strides", "strides is NULL, and was asked for (PyBUF_STRIDES)");
	if (declared)
		buf_check_lesser(subject, report);
}

/* "shape (PyBUF_SIMPLE and 2 others)", of the replies that fill in the field unasked; NULL: none.
 */
static const char *show_unasked(const struct subject *subject, const char *field)
{
	const struct value *record;
	const char *first = NULL;
	size_t n_others = 0;

	for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
		const struct buffer_request *request = buffer_request_of(record);

		if (!sets_field(record, field) || buffer_asks_for(request, field))
			continue;
		if (first)
			n_others++;
		else
			first = request->name;
	}
	if (!n_others)
		return first ? arena_printf(subject->arena, "%s (%s)", field, first) : NULL;
	return arena_printf(subject->arena, "%s (%s and %zu other%s)", field, first, n_others,
		n_others == 1 ? "" : "s");
}

static void buf_check_unasked(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "format", "shape", "strides", "suboffsets" };
	const char *all = "";

	for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++) {
		const char *shown = show_unasked(subject, fields[f]);

		if (shown)
			all = arena_printf(subject->arena, "%s%s%s", all, *all ? ", " : "", shown);
	}
	if (*all)
		rule_fail(report, NULL, "not NULL, although not asked for: %s", all);
}

/* Strides that reach the same elements: those of extents of 0 and 1 are free. */
static bool are_same_strides(
	const struct value *shape, const struct value *strides, const struct value *others)
{
	bool is_same = strides->n_items == others->n_items;

	for (size_t i = 0; value_is_sequence(shape) && i < shape->n_items; i++)
		if (value_int_or(shape->items[i], 0) == 0)
			return true;
	for (size_t i = 0; is_same && i < strides->n_items; i++)
		is_same = value_equal(strides->items[i], others->items[i]) ||
			  value_int_or(value_item(shape, i), 0) == 1;
	return is_same;
}

/* A document does not tell the tuples of details from lists. */
static bool is_same_value(const struct value *value, const struct value *other)
{
	if (!value_is_sequence(value) || !value_is_sequence(other))
		return value_equal(value, other);
	if (value->n_items != other->n_items)
		return false;
	for (size_t i = 0; i < value->n_items; i++)
		if (!value_equal(value->items[i], other->items[i]))
			return false;
	return true;
}

/* Without PyBUF_ND consumers do not look at ndim (memoryview's is 1, and NumPy's 0), and have to
 * assume that itemsize is 1, as which VTK reports it. */
static bool is_same_field(
	const struct subject *subject, const struct value *record, const char *key)
{
	const struct buffer_request *request = buffer_request_of(record);
	const struct value *value = value_get(record, key);
	const struct value *full = value_get(subject->declared, key);

	if (value_is_null(value) || is_same_value(value, full))
		return true;
	if (!strcmp(key, "ndim"))
		return !buffer_asks_for(request, "shape");
	if (!strcmp(key, "itemsize"))
		return !buffer_asks_for(request, "shape") && value_int_or(value, 0) == 1;
	if (!strcmp(key, "shape") || !strcmp(key, "strides")) {
		if (!buffer_asks_for(request, key) || !value_is_sequence(full) ||
			!value_equal(
				value_get(record, "ndim"), value_get(subject->declared, "ndim")))
			return true;
		return !strcmp(key, "strides") && value_is_sequence(value) &&
		       are_same_strides(value_get(subject->declared, "shape"), value, full);
	}
	if (!strcmp(key, "buf"))
		return !buffer_is_same_block(subject, record);
	return false;
}

static void buf_check_same(const struct subject *subject, struct report *report)
{
	static const char *const keys[] = { "buf", "len", "itemsize", "ndim", "shape", "strides" };
	struct arena *arena = subject->arena;
	const struct value *record;

	for (size_t k = 0; buffer_given(subject) && k < sizeof(keys) / sizeof(*keys); k++)
		for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
			const char *request = buffer_request_of(record)->name;
			const struct value *value = value_get(record, keys[k]);
			bool is_lost = value_is_null(value) && sets_field(record, keys[k]) &&
				       value_is_integer(value_get(record, "ndim"));

			/* Unreadable by every request: BUF105, BUF302. */
			if (is_lost &&
				value_is(value_get(subject->declared, keys[k]), VALUE_OPAQUE))
				continue;
			if (is_lost)
				rule_fail(report, keys[k],
					"%s points to memory that cannot be read, by %s", keys[k],
					request);
			else if (!is_same_field(subject, record, keys[k]))
				rule_fail(report, keys[k],
					"%s is %s by %s, and %s by PyBUF_FULL_RO", keys[k],
					show_field(arena, value), request,
					show_field(arena, value_get(subject->declared, keys[k])));
			else
				continue;
			break;
		}
}

static void buf_check_padding(const struct subject *subject, struct report *report)
{
	if (buffer_lacks_padding(subject))
		rule_fail(report, "format",
			"format '%.60s' leaves padding out: its members take %lld bytes, itemsize is %lld",
			buffer_format(subject),
			(long long)dtype_pep3118_bytes(buffer_format(subject)),
			(long long)buffer_number(subject, "itemsize"));
}

const struct rule buffer_asked_rules[] = {
	{
		BUFFER_RULE("BUF108", "fields-asked", WARNING, MUST),
		.needs = { "BUF104" },
		.clause =
			CLAUSE_BUFFER "PyBUF_INDIRECT; PyBUF_STRIDES; PyBUF_ND (table of requests)",
		.says = "shape and strides are not NULL where they were asked for and ndim is not 0, nor is format",
		.why = "memoryview and NumPy check for NULL, but C code that asked for strides and indexes them crashes",
		.fix = "fill in strides whenever flags hold PyBUF_STRIDES, even for a contiguous buffer",
		.check = buf_check_asked,
	},
	{
		BUFFER_RULE("BUF109", "indirect", WARNING, HAZARD),
		.clause = CLAUSE_BUFFER "PIL-style: shape and strides and suboffsets",
		.says = "elements are reached by strides alone, without pointers in between",
		.why = "memoryview follows such pointers, but numpy.asarray raises BufferError, as other protocols cannot "
		       "describe them; suai does not check the layout",
		.fix = "export a block of memory; refuse the request where that cannot be",
		.check = buf_check_direct,
	},
	{
		BUFFER_RULE("BUF110", "fields-unasked", NOTE, MUST),
		.clause = CLAUSE_BUFFER
		"PyBUF_FORMAT (\"Otherwise, this field MUST be NULL\"); PyBUF_STRIDES; PyBUF_ND",
		.says = "format, shape, strides and suboffsets are NULL where they were not asked for",
		.why = "a consumer that asked for plain bytes and finds a format may use it; most, such as hashlib, do not look "
		       "at what they did not ask for",
		.fix = "leave NULL what flags do not name; PyBuffer_FillInfo does it for plain bytes",
		.check = buf_check_unasked,
	},
	{
		BUFFER_RULE("BUF111", "format-padding", WARNING, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.itemsize (\"Same as the value of struct.calcsize() called on non-NULL format values\")",
		.says = "format names the padding of a structure",
		.why = "numpy.asarray raises RuntimeError, or warns and uses the type of a ctypes array instead (before Python "
		       "3.12); others find the fields after the gap in the wrong place",
		.fix = "write padding as 'x' (\"T{<i:a:4x<d:b:}\"), or leave byte orders out so that alignment counts",
		.check = buf_check_padding,
	},
	{
		BUFFER_RULE("BUF113", "request-independent", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"request-independent fields (\"must always be filled in with the correct values\")",
		.says = "buf, len and itemsize are the same for every request, and ndim, shape and strides for each that asks for "
			"them; only a copy made for a request lies elsewhere",
		.why = "a consumer that asks for plain bytes gets other memory than one that asks for elements",
		.fix = "fill in these fields before looking at flags",
		.check = buf_check_same,
	},
	{ .id = NULL },
};
