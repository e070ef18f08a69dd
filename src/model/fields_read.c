// SPDX-License-Identifier: MIT
/* PEP 3118 formats to NumPy's descr: with the offset, size and byte order of every code. */
#include "base/plural.h"
#include "model/dtype.h"
#include "model/dtype_make.h"
#include "model/fields.h"
#include "model/pep3118.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_DEPTH = 32 }; /* each structure is a list of tuples: two levels of a value */

/* The structures that are being read, of which the last one is the innermost. */
struct descr_reader {
	struct arena *arena;
	struct open_descr {
		struct value *fields;
		int64_t align;          /* the largest of its codes, as if they were aligned */
		int64_t padding_bytes;  /* at its end */
		int64_t doubtful_bytes; /* of padding after the last item (add_descr_item()) */
	} open[MAX_DEPTH + 1];
	int depth;
	struct open_descr closed; /* the last structure that ended */
};

static void append_descr_field(
	struct descr_reader *reader, const char *name, struct value *type, struct value *shape)
{
	struct value *field = value_tuple(reader->arena);

	value_append(reader->arena, field, value_text(reader->arena, name));
	value_append(reader->arena, field, type);
	if (shape)
		value_append(reader->arena, field, shape);
	value_append(reader->arena, reader->open[reader->depth].fields, field);
}

static void append_descr_padding(struct descr_reader *reader, int64_t n_bytes)
{
	if (n_bytes)
		append_descr_field(
			reader, "", value_textf(reader->arena, "|V%" PRId64, n_bytes), NULL);
}

static const char *begin_descr(void *context)
{
	struct descr_reader *reader = context;

	if (reader->depth == MAX_DEPTH)
		return "nested too deeply";
	reader->open[++reader->depth] = (struct open_descr){ value_list(reader->arena), 1, 0, 0 };
	return NULL;
}

static const char *end_descr(void *context, int64_t padding_bytes)
{
	struct descr_reader *reader = context;

	append_descr_padding(reader, padding_bytes);
	reader->open[reader->depth].padding_bytes = padding_bytes;
	reader->closed = reader->open[reader->depth--];
	return NULL;
}

/* Whether the count is the length of one item instead of a number of items. */
static bool is_text_code(const struct pep3118_code *code)
{
	return strchr("swx", code->letter);
}

/* The typestr of a code; NULL: NumPy has none. */
static struct value *type_of_code(struct arena *arena, const struct pep3118_item *item)
{
	const struct pep3118_code *code = item->code;
	const int64_t n_bytes = item->unit_bytes * (is_text_code(code) ? item->count : 1);
	const bool is_long = code->letter == 'g' || code->part == 'g';
	char typestr[DTYPE_TEXT_BYTES];
	struct dtype dtype;
	struct err ignored;

	if (code->letter == 'O')
		return value_textf(arena, "|O%" PRId64, n_bytes);
	if (is_long && !strchr("@^", item->order))
		return NULL;
	if (code->kind == DTYPE_VOID && !strchr("xP", code->letter))
		return NULL;
	if (dtype_make(&dtype, code->letter == 'P' ? DTYPE_UINT : code->kind, n_bytes, 8, &ignored))
		return NULL;
	dtype.foreign_order = dtype_order_is_foreign(item->order);
	return dtype_to_typestr(&dtype, typestr, &ignored) ? NULL : value_text(arena, typestr);
}

/* The extents of an item; NULL: it is not an array. A count of 1 is no dimension, as in NumPy. */
static struct value *shape_of_item(struct arena *arena, const struct pep3118_item *item)
{
	const bool is_counted = item->count != 1 && !(item->code && is_text_code(item->code));
	struct value *shape = item->shape || is_counted ? value_tuple(arena) : NULL;
	const char *at = item->shape;
	int64_t extent;

	while (at && pep3118_next_extent(&at, &extent))
		value_append(arena, shape, value_int(arena, extent));
	if (is_counted)
		value_append(arena, shape, value_int(arena, item->count));
	return shape;
}

/* The padding that aligned structures have, or would have in an array. */
static int64_t count_doubtful_bytes(
	const struct pep3118_item *item, const struct open_descr *structure)
{
	const int64_t align = structure->align;
	int64_t each = structure->padding_bytes, n, n_bytes;

	if (item->code)
		return 0;
	if (__builtin_mul_overflow(item->count, item->repeats, &n))
		return INT64_MAX;
	if (!each && n > 1)
		each = (align - item->unit_bytes % align) % align;
	return __builtin_mul_overflow(n, each, &n_bytes) ? INT64_MAX : n_bytes;
}

static const char *add_descr_item(
	void *context, const struct pep3118_item *item, int64_t padding_bytes)
{
	struct descr_reader *reader = context;
	struct open_descr *open = &reader->open[reader->depth];
	const int64_t align = item->code ? item->code->align : reader->closed.align;
	struct value *type = item->code ? type_of_code(reader->arena, item) : reader->closed.fields;

	if (!type)
		return "unsupported type";
	/* NumPy writes the padding of structures after them, that of an array's after the last one,
	 * although readers may add it to each of them. */
	if (open->doubtful_bytes && item->code && item->code->letter == 'x' && !item->name) {
		open->doubtful_bytes -= item->count * item->repeats;
		if (open->doubtful_bytes <= 0)
			return "padding that may belong to the structures before it";
	} else {
		open->doubtful_bytes = count_doubtful_bytes(item, &reader->closed);
	}
	open->align = align > open->align ? align : open->align;
	append_descr_padding(reader, padding_bytes);
	append_descr_field(reader,
		item->name ? arena_copy(reader->arena, item->name, item->n_name_chars) : "", type,
		shape_of_item(reader->arena, item));
	return NULL;
}

/* The items of "ii" have no names; NumPy requires some. */
static void name_fields(struct arena *arena, struct value *fields)
{
	int n_named = 0;

	for (size_t i = 0; i < fields->n_items; i++) {
		struct value *field = fields->items[i];
		const char *type = value_text_or(value_item(field, 1), "");

		if (type[0] == '|' && type[1] == 'V')
			continue;
		if (value_is_text(field->items[0], ""))
			field->items[0] = value_textf(arena, "f%d", n_named);
		n_named++;
	}
}

/* As NumPy reads it, whose structures most are. */
struct value *fields_from_pep3118(
	struct arena *arena, const char *format, int64_t item_bytes, struct err *err)
{
	struct descr_reader reader = { .arena = arena, .open = { { value_list(arena), 1, 0, 0 } } };
	const struct pep3118_visitor visitor = { &reader, begin_descr, end_descr, add_descr_item };
	struct value *fields = reader.open[0].fields, *inner;
	struct pep3118_layout layout;
	bool size_unknown;

	if (pep3118_read(format, PEP3118_NUMPY, &visitor, &layout, &size_unknown, err)) {
		err->code = EXIT_TARGET;
		return NULL;
	}
	inner = fields->n_items == 1 && fields->items[0]->n_items == 2 ? fields->items[0]->items[1]
								       : NULL;
	if (inner && value_is(inner, VALUE_LIST) && value_is_text(fields->items[0]->items[0], ""))
		fields = inner;
	name_fields(arena, fields);
	if (layout.n_bytes != item_bytes) {
		err_set(err, EXIT_TARGET,
			"the format describes %" PRId64 " byte%s, but itemsize is %" PRId64
			", so the offsets of the fields are unknown",
			layout.n_bytes, plural(layout.n_bytes), item_bytes);
		return NULL;
	}
	return fields;
}
