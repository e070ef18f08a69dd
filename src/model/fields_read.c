// SPDX-License-Identifier: MIT
/* PEP 3118 formats to NumPy's descr: with the offset, size and byte order of every code. */
#include "base/array_size.h"
#include "base/plural.h"
#include "model/fields.h"

#include "model/dtype.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

struct reader {
	struct arena *arena;
	struct err *err;
	const char *format, *at;
	char mode; /* '@' aligned native sizes, '^' native sizes, '=', '<', '>', '!' standard */
	int depth;
};

/* One item of a format. */
struct item {
	struct value *type; /* a typestr or a descr */
	int64_t n_bytes, alignment;
};

/* A struct-module code: NumPy's kind, its size in C and in the standard modes (0: none). */
static const struct code {
	const char *code;
	char kind;
	int native_bytes, standard_bytes;
} codes[] = {
	{ "?", 'b', sizeof(_Bool), 1 },
	{ "b", 'i', 1, 1 },
	{ "B", 'u', 1, 1 },
	{ "h", 'i', sizeof(short), 2 },
	{ "H", 'u', sizeof(short), 2 },
	{ "i", 'i', sizeof(int), 4 },
	{ "I", 'u', sizeof(int), 4 },
	{ "l", 'i', sizeof(long), 4 },
	{ "L", 'u', sizeof(long), 4 },
	{ "q", 'i', sizeof(long long), 8 },
	{ "Q", 'u', sizeof(long long), 8 },
	{ "n", 'i', sizeof(size_t), 0 },
	{ "N", 'u', sizeof(size_t), 0 },
	{ "e", 'f', 2, 2 },
	{ "f", 'f', sizeof(float), 4 },
	{ "d", 'f', sizeof(double), 8 },
	{ "g", 'f', sizeof(long double), 0 },
	{ "Zf", 'c', 2 * sizeof(float), 8 },
	{ "Zd", 'c', 2 * sizeof(double), 16 },
	{ "Zg", 'c', 2 * sizeof(long double), 0 },
	{ "P", 'u', sizeof(void *), 0 },
	{ "O", 'O', sizeof(void *), 0 },
	{ "c", 'S', 1, 1 },
};

static struct value *descr_read_fields(
	struct reader *reader, char close, int64_t *n_bytes, int64_t *alignment);

static bool fail_unsupported(struct reader *reader, const char *what)
{
	err_set(reader->err, EXIT_TARGET, "format '%.60s': %s at position %zu", reader->format,
		what, (size_t)(reader->at - reader->format));
	return false;
}

static char byte_order(const struct reader *reader, int64_t n_bytes)
{
	if (n_bytes <= 1)
		return '|';
	if (reader->mode == '<' || reader->mode == '>')
		return reader->mode;
	return reader->mode == '!' || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
}

static bool descr_read_plain(struct reader *reader, struct item *item)
{
	size_t n_chars = reader->at[0] == 'Z' ? 2 : 1;

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		const struct code *code = &codes[i];

		if (strlen(code->code) != n_chars || strncmp(reader->at, code->code, n_chars) != 0)
			continue;
		item->n_bytes = (reader->mode == '@' || reader->mode == '^') ? code->native_bytes
									     : code->standard_bytes;
		item->alignment = code->kind == 'c' ? item->n_bytes / 2 : item->n_bytes;
		if (!item->n_bytes)
			return fail_unsupported(reader, "a type that has no standard size");
		item->type = value_textf(reader->arena, "%c%c%" PRId64,
			code->kind == 'O' ? '|' : byte_order(reader, item->n_bytes), code->kind,
			item->n_bytes);
		reader->at += n_chars;
		return true;
	}
	return fail_unsupported(reader, *reader->at ? "unsupported type" : "missing type");
}

/* "5s", "3w" and "4x" are one item of that length; for other codes a count repeats. */
static bool descr_read_text(struct reader *reader, int64_t count, struct item *item)
{
	const char code = *reader->at++;
	const int64_t width = code == 'w' ? 4 : 1;

	if (__builtin_mul_overflow(count, width, &item->n_bytes))
		return fail_unsupported(reader, "a count overflows");
	item->alignment = width;
	if (code == 'w')
		item->type =
			value_textf(reader->arena, "%cU%" PRId64, byte_order(reader, 4), count);
	else
		item->type = value_textf(
			reader->arena, "|%c%" PRId64, code == 's' ? 'S' : 'V', item->n_bytes);
	return true;
}

static bool descr_read_struct(struct reader *reader, struct item *item)
{
	const char mode = reader->mode;

	reader->at += 2;
	if (++reader->depth > MAX_DEPTH)
		return fail_unsupported(reader, "nested too deeply");
	item->type = descr_read_fields(reader, '}', &item->n_bytes, &item->alignment);
	reader->depth--;
	reader->mode = mode;
	return item->type != NULL;
}

static bool descr_read_number(struct reader *reader, int64_t *number)
{
	*number = 0;
	if (*reader->at < '0' || *reader->at > '9')
		return fail_unsupported(reader, "missing extent");
	for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, *reader->at - '0', number))
			return fail_unsupported(reader, "a count overflows");
	return true;
}

/* "(2,3)" as a tuple; NULL if there is none. */
static bool descr_read_shape(struct reader *reader, struct value **shape)
{
	int64_t extent;

	if (*reader->at != '(')
		return true;
	*shape = value_tuple(reader->arena);
	do {
		reader->at++;
		if (!descr_read_number(reader, &extent))
			return false;
		value_append(reader->arena, *shape, value_int(reader->arena, extent));
	} while (*reader->at == ',');
	if (*reader->at != ')')
		return fail_unsupported(reader, "unterminated '('");
	reader->at++;
	return true;
}

static bool descr_read_name(struct reader *reader, const char **name)
{
	const char *end = *reader->at == ':' ? strchr(reader->at + 1, ':') : NULL;

	*name = "";
	if (*reader->at != ':')
		return true;
	if (!end)
		return fail_unsupported(reader, "unterminated name");
	*name = arena_copy(reader->arena, reader->at + 1, (size_t)(end - reader->at - 1));
	reader->at = end + 1;
	return true;
}

static bool read_mode(struct reader *reader)
{
	if (!*reader->at || !strchr("@^=<>!", *reader->at))
		return false;
	reader->mode = *reader->at++;
	return true;
}

/* One item with its shape and count; *n_total counts all its repetitions. */
static bool descr_read_item(
	struct reader *reader, struct item *item, struct value **shape, int64_t *n_total)
{
	int64_t count = 1;
	bool counted, ok;

	*shape = NULL;
	if (!descr_read_shape(reader, shape))
		return false;
	(void)read_mode(reader); /* NumPy writes it behind the shape */
	counted = *reader->at >= '0' && *reader->at <= '9';
	if (counted && !descr_read_number(reader, &count))
		return false;
	if (*reader->at && strchr("swx", *reader->at)) {
		ok = descr_read_text(reader, count, item);
		counted = false;
	} else {
		ok = !strncmp(reader->at, "T{", 2) ? descr_read_struct(reader, item)
						   : descr_read_plain(reader, item);
	}
	if (!ok)
		return false;
	if (counted) {
		*shape = *shape ? *shape : value_tuple(reader->arena);
		value_append(reader->arena, *shape, value_int(reader->arena, count));
	}
	*n_total = item->n_bytes;
	for (size_t i = 0; *shape && i < (*shape)->n_items; i++)
		if (__builtin_mul_overflow(*n_total, (*shape)->items[i]->integer, n_total))
			return fail_unsupported(reader, "a shape overflows");
	return true;
}

static void append_descr_field(struct reader *reader, struct value *fields, const char *name,
	struct value *type, struct value *shape)
{
	struct value *field = value_tuple(reader->arena);

	value_append(reader->arena, field, value_text(reader->arena, name));
	value_append(reader->arena, field, type);
	if (shape)
		value_append(reader->arena, field, shape);
	value_append(reader->arena, fields, field);
}

static bool append_descr_padding(
	struct reader *reader, struct value *fields, int64_t *offset, int64_t alignment)
{
	int64_t gap = alignment > 1 ? (alignment - *offset % alignment) % alignment : 0;

	if (gap)
		append_descr_field(
			reader, fields, "", value_textf(reader->arena, "|V%" PRId64, gap), NULL);
	return !__builtin_add_overflow(*offset, gap, offset);
}

static struct value *descr_read_fields(
	struct reader *reader, char close, int64_t *n_bytes, int64_t *alignment)
{
	struct value *fields = value_list(reader->arena), *shape;
	struct item item;
	const char *name;
	int64_t n_total;

	*n_bytes = 0;
	*alignment = 1;
	while (*reader->at != close) {
		if (!*reader->at) {
			fail_unsupported(reader, "unterminated '{'");
			return NULL;
		}
		if (*reader->at == ' ' || *reader->at == '\n') {
			reader->at++;
			continue;
		}
		if (read_mode(reader))
			continue;
		if (!descr_read_item(reader, &item, &shape, &n_total) ||
			!descr_read_name(reader, &name))
			return NULL;
		if (reader->mode == '@' && item.alignment > *alignment)
			*alignment = item.alignment;
		if (!append_descr_padding(
			    reader, fields, n_bytes, reader->mode == '@' ? item.alignment : 1) ||
			__builtin_add_overflow(*n_bytes, n_total, n_bytes)) {
			fail_unsupported(reader, "the size overflows");
			return NULL;
		}
		append_descr_field(reader, fields, name, item.type, shape);
	}
	if (!close) /* a format without T{}, as of the struct module, has no trailing padding */
		return fields;
	reader->at++;
	return append_descr_padding(reader, fields, n_bytes, *alignment) ? fields : NULL;
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

struct value *fields_from_pep3118(
	struct arena *arena, const char *format, int64_t item_bytes, struct err *err)
{
	struct reader reader = {
		.arena = arena, .err = err, .format = format, .at = format, .mode = '@'
	};
	struct value *fields, *inner;
	int64_t n_bytes, alignment;

	fields = descr_read_fields(&reader, '\0', &n_bytes, &alignment);
	if (!fields)
		return NULL;
	inner = fields->n_items == 1 && fields->items[0]->n_items == 2 ? fields->items[0]->items[1]
								       : NULL;
	if (inner && value_is(inner, VALUE_LIST) && value_is_text(fields->items[0]->items[0], ""))
		fields = inner;
	name_fields(arena, fields);
	if (n_bytes != item_bytes) {
		err_set(err, EXIT_TARGET,
			"the format describes %" PRId64 " byte%s, but itemsize is %" PRId64
			", so the offsets of the fields are unknown",
			n_bytes, plural(n_bytes), item_bytes);
		return NULL;
	}
	return fields;
}
