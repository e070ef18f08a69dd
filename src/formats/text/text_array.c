// SPDX-License-Identifier: MIT
/* The decoded array: one line per field, from the element type to the location in memory. */
#include "formats/text/text_parts.h"

#include "model/escape.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_DIMS_SHOWN = 32, MAX_LINES_APART = 4 };

static void add_scalar(struct text *out, const struct value *value)
{
	if (value_is(value, VALUE_TEXT))
		escape_text(out, value->bytes, value->n_bytes, ESCAPE_TERMINAL);
	else if (value_is(value, VALUE_INT))
		text_printf(out, "%" PRId64, value->integer);
	else
		text_add(out, "?");
}

/* "(3, 4)" */
static void add_tuple(struct text *out, const struct value *list)
{
	size_t n_items = value_is_sequence(list) ? list->n_items : 0;

	text_add(out, "(");
	for (size_t i = 0; i < n_items && i < MAX_DIMS_SHOWN; i++) {
		text_add(out, i ? ", " : "");
		add_scalar(out, list->items[i]);
	}
	text_add(out, n_items > MAX_DIMS_SHOWN ? ", ...)" : n_items == 1 ? ",)" : ")");
}

static void add_byte_count(struct text *out, const struct value *n_bytes)
{
	uint64_t size;

	if (value_to_uint64(n_bytes, &size))
		page_add_bytes(out, size);
	else
		text_add(out, "a size beyond 64 bits");
}

/* The element type could not be decoded, nor is its size declared. */
static bool is_unsized_array(const struct value *array)
{
	return value_is_null(value_get(array, "dtype")) &&
	       value_is_null(value_get(array, "itemsize"));
}

static void add_dtype(struct text *out, const struct value *array)
{
	if (is_unsized_array(array)) {
		text_add(out, "cannot be decoded; 'suai validate' reports why");
		return;
	}
	if (value_is_null(value_get(array, "dtype")))
		text_add(out, "cannot be decoded ('suai validate' reports why)");
	else
		add_scalar(out, value_get(array, "dtype"));
	if (!value_is_null(value_get(array, "typestr"))) {
		text_add(out, " (");
		add_scalar(out, value_get(array, "typestr"));
		text_add(out, ")");
	}
	text_add(out, ", ");
	add_byte_count(out, value_get(array, "itemsize"));
}

static void add_array_shape(struct text *out, const struct value *array)
{
	int64_t n_elements = value_int_or(value_get(array, "elements"), -1);

	add_tuple(out, value_get(array, "shape"));
	if (n_elements >= 0)
		text_printf(out, ", %" PRId64 " element%s", n_elements, n_elements == 1 ? "" : "s");
	if (is_unsized_array(array))
		return;
	text_add(out, ", ");
	add_byte_count(out, value_get(array, "nbytes"));
}

static void add_strides(struct text *out, const struct value *array)
{
	const struct value *elements = value_get(array, "strides_elements");
	bool is_c = value_bool_or(value_get(array, "c_contiguous"), false);
	bool is_f = value_bool_or(value_get(array, "f_contiguous"), false);

	if (!value_int_or(value_get(array, "ndim"), 0))
		return;
	if (is_unsized_array(array)) {
		const struct value *bytes = value_get(array, "strides_bytes");

		if (!value_is_sequence(bytes) && !value_is_sequence(elements))
			return;
		add_tuple(out, value_is_sequence(bytes) ? bytes : elements);
		text_add(out, value_is_sequence(bytes) ? " bytes" : " elements");
		return;
	}
	add_tuple(out, value_get(array, "strides_bytes"));
	text_add(out, " bytes, ");
	if (value_is_sequence(elements)) {
		add_tuple(out, elements);
		text_add(out, " elements, ");
	} else {
		text_add(out, "no whole elements, ");
	}
	text_add(out, is_c && is_f ? "C- and F-contiguous"
		      : is_c       ? "C-contiguous"
		      : is_f       ? "F-contiguous"
				   : "not contiguous");
}

/* Elements of a .npy file, which are at no address. */
static bool is_unmapped_file(const struct value *array)
{
	return value_is_text(value_at(array, "memory.kind"), "file") &&
	       value_is_null(value_get(array, "pointer"));
}

static void add_pointer(struct text *out, const struct value *array)
{
	const struct value *pointer = value_get(array, "pointer");

	if (value_is_null(pointer))
		text_add(out, is_unmapped_file(array)   ? ""
			      : is_unsized_array(array) ? "unknown"
							: "null");
	else
		add_scalar(out, pointer);
}

static void add_extent(struct text *out, const struct value *array)
{
	const struct value *low = value_at(array, "extent.low");

	if (value_is_null(low))
		return;
	add_scalar(out, low);
	text_add(out, " to ");
	add_scalar(out, value_at(array, "extent.high"));
}

static void add_access(struct text *out, const struct value *array)
{
	const struct value *readonly = value_get(array, "readonly");

	if (value_is(readonly, VALUE_BOOL))
		text_add(out, readonly->boolean ? "read-only" : "writable");
}

static void add_array_device(struct text *out, const struct value *array)
{
	const struct value *type = value_at(array, "device.type");
	const struct value *id = value_at(array, "device.id");
	const struct value *name = value_at(array, "device.name");

	if (!value_is_null(type))
		add_scalar(out, type);
	if (!value_is_null(type) && !value_is_null(id)) {
		text_add(out, ":");
		add_scalar(out, id);
	}
	if (!value_is_null(name)) {
		text_add(out, out->n_bytes ? ", " : "");
		add_scalar(out, name);
	}
}

static void add_memory_answer(struct text *out, const struct value *memory, const char *key,
	bool wanted, const char *words)
{
	const struct value *answer = value_get(memory, key);

	if (value_is(answer, VALUE_BOOL) && answer->boolean == wanted)
		text_printf(out, ", %s", words);
}

static void add_memory(struct text *out, const struct value *array)
{
	const struct value *memory = value_get(array, "memory");
	bool is_host = value_is_text(value_get(memory, "kind"), "host");

	if (value_is_null(memory))
		return;
	add_scalar(out, value_get(memory, "kind"));
	if (!value_is_null(value_get(memory, "origin"))) {
		text_add(out, " (");
		add_scalar(out, value_get(memory, "origin"));
		text_add(out, ")");
	}
	if (!value_is_null(value_get(memory, "mapping"))) {
		text_add(out, ", ");
		add_scalar(out, value_get(memory, "mapping"));
	}
	if (!value_is_null(value_get(memory, "size"))) {
		text_add(out, ", ");
		add_byte_count(out, value_get(memory, "size"));
	}
	if (!value_is_null(value_get(memory, "base"))) {
		text_add(out, " from ");
		add_scalar(out, value_get(memory, "base"));
	}
	if (!is_host)
		add_memory_answer(out, memory, "host_accessible", true, "host can read it");
	if (!is_unmapped_file(array))
		add_memory_answer(out, memory, "host_accessible", false, "host cannot read it");
	add_memory_answer(out, memory, "managed", true, "managed");
	add_memory_answer(out, memory, "writable", false, "not writable");
	add_memory_answer(out, memory, "readable", false, "not readable");
}

static void add_asked(struct text *out, const struct value *array)
{
	const struct value *memory = value_get(array, "memory");

	if (value_is_null(value_get(memory, "by")))
		return;
	add_scalar(out, value_get(memory, "by"));
	if (!value_is_null(value_get(memory, "how"))) {
		text_add(out, ", ");
		add_scalar(out, value_get(memory, "how"));
	}
	if (!value_is_null(value_get(memory, "device_pointer"))) {
		text_add(out, ", device pointer ");
		add_scalar(out, value_get(memory, "device_pointer"));
	}
	if (!value_is_null(value_get(memory, "context"))) {
		text_add(out, ", context ");
		add_scalar(out, value_get(memory, "context"));
	}
}

static const struct field {
	const char *label;
	void (*add)(struct text *out, const struct value *array);
	bool optional; /* a missing value does not count as a difference */
	bool verbose;  /* shown with -v */
} fields[] = {
	{ "dtype", add_dtype, false, false },
	{ "shape", add_array_shape, false, false },
	{ "strides", add_strides, false, false },
	{ "pointer", add_pointer, false, false },
	{ "extent", add_extent, false, false },
	{ "access", add_access, true, false },
	{ "device", add_array_device, true, false },
	{ "memory", add_memory, true, false },
	{ "memory by", add_asked, true, true },
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

/* Whether a line of array repeats that of like. */
static bool is_same_line(
	const struct field *field, const struct value *array, const struct value *like)
{
	struct text line = { 0 }, like_line = { 0 };
	bool same;

	field->add(&line, array);
	field->add(&like_line, like);
	same = (field->optional && !line.n_bytes) ||
	       !strcmp(line.bytes ? line.bytes : "", like_line.bytes ? like_line.bytes : "");
	text_free(&line);
	text_free(&like_line);
	return same;
}

static void print_field(struct page *page, const struct field *field, const struct value *array)
{
	struct text line = { 0 };

	field->add(&line, array);
	if (line.n_bytes)
		page_field(page, field->label, "%s", line.bytes);
	text_free(&line);
}

static bool is_field_shown(const struct page *page, const struct field *field)
{
	return !field->verbose || page->verbosity > 0;
}

void text_array(struct page *page, const struct value *interface, const struct value *like,
	const char *name)
{
	const struct value *array = value_get(interface, "array");
	const struct value *reason = value_get(interface, "memory_reason");
	int n_apart = 0;

	for (size_t i = 0; like && i < N_FIELDS; i++)
		n_apart +=
			is_field_shown(page, &fields[i]) && !is_same_line(&fields[i], array, like);
	if (n_apart > MAX_LINES_APART)
		like = NULL;
	if (like)
		page_field(page, "array", n_apart ? "as %s, but" : "as %s", name);
	for (size_t i = 0; i < N_FIELDS; i++)
		if (is_field_shown(page, &fields[i]) &&
			!(like && is_same_line(&fields[i], array, like)))
			print_field(page, &fields[i], array);
	if (value_is_null(value_get(array, "memory")) && !value_is_null(reason)) {
		page_label(page, "memory");
		text_add(&page->text, "unknown: ");
		page_lines(page, reason, PAGE_VALUE_COLUMN);
		text_add(&page->text, "\n");
	}
}
