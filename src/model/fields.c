// SPDX-License-Identifier: MIT
/* NumPy's descr to PEP 3118 ("Additions to the struct string-syntax"); the reverse is in
 * fields_read.c. */
#include "model/fields.h"

#include "model/dtype.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool fields_are_structured(const struct value *descr)
{
	const struct value *name = value_item(value_item(descr, 0), 0);

	if (!value_is(descr, VALUE_LIST) || !descr->n_items)
		return false;
	return descr->n_items > 1 || !value_is_text(name, "") ||
	       value_is(value_item(value_item(descr, 0), 1), VALUE_LIST);
}

/* The product of a field's shape (absent: 1, an integer, or a sequence); -1 if it is malformed. */
static int64_t field_count(const struct value *shape)
{
	int64_t product = 1;

	if (!shape)
		return 1;
	if (value_is(shape, VALUE_INT))
		return shape->integer < 0 ? -1 : shape->integer;
	if (!value_is_sequence(shape))
		return -1;
	for (size_t i = 0; i < shape->n_items; i++) {
		int64_t extent = value_int_or(shape->items[i], -1);

		if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
			return -1;
	}
	return product;
}

/* Fields of the type `excepted`, if present, take no bytes. */
static int64_t item_bytes(const struct value *descr, const char *excepted)
{
	struct dtype dtype;
	struct err ignored;
	int64_t total = 0, one, count;

	if (value_is(descr, VALUE_TEXT)) {
		if (!dtype_from_typestr(&dtype, descr->bytes, &ignored))
			return dtype_itemsize(&dtype);
		return excepted && descr->n_bytes && !strcmp(descr->bytes + 1, excepted) ? 0 : -1;
	}
	if (!value_is(descr, VALUE_LIST))
		return -1;
	for (size_t i = 0; i < descr->n_items; i++) {
		one = item_bytes(value_item(descr->items[i], 1), excepted);
		count = field_count(value_item(descr->items[i], 2));
		if (one < 0 || count < 0 || __builtin_mul_overflow(one, count, &one) ||
			__builtin_add_overflow(total, one, &total))
			return -1;
	}
	return total;
}

int64_t fields_item_bytes(const struct value *descr)
{
	return item_bytes(descr, NULL);
}

const struct value *fields_name_of(const struct value *item)
{
	const struct value *name = value_item(item, 0);

	return value_is(name, VALUE_TUPLE) && name->n_items == 2 ? name->items[1] : name;
}

const struct value *fields_title_of(const struct value *item)
{
	const struct value *name = value_item(item, 0);
	bool is_titled = value_is(name, VALUE_TUPLE) && name->n_items == 2 &&
			 value_is(name->items[0], VALUE_TEXT);

	return is_titled ? name->items[0] : NULL;
}

ptrdiff_t fields_find_default_name(const struct value *descr, const struct value *name)
{
	const char *digits = value_text_or(name, "");
	const struct value *unnamed;
	size_t i;

	if (*digits++ != 'f' || !*digits || digits[strspn(digits, "0123456789")] ||
		(digits[0] == '0' && digits[1]))
		return -1;
	i = strtoull(digits, NULL, 10);
	unnamed = value_item(descr, i);
	return value_is_text(fields_name_of(unnamed), "") && !fields_title_of(unnamed)
		       ? (ptrdiff_t)i
		       : -1;
}

static bool has_field(const struct value *descr, const char *name)
{
	for (size_t i = 0; i < descr->n_items; i++)
		if (value_is_text(fields_name_of(descr->items[i]), name) ||
			value_is_text(fields_title_of(descr->items[i]), name))
			return true;
	return false;
}

static void name_item(struct arena *arena, struct value *descr, ptrdiff_t i)
{
	const char *name;

	if (i < 0)
		return;
	name = arena_printf(arena, "padding%td", i);
	while (has_field(descr, name))
		name = arena_printf(arena, "%s_", name);
	descr->items[i]->items[0] = value_text(arena, name);
}

static void name_padding(struct arena *arena, struct value *descr)
{
	if (!value_is(descr, VALUE_LIST))
		return;
	for (size_t i = 0; i < descr->n_items; i++) {
		struct value *item = descr->items[i];

		name_item(arena, descr, fields_find_default_name(descr, fields_name_of(item)));
		name_item(arena, descr, fields_find_default_name(descr, fields_title_of(item)));
		if (value_is_sequence(item) && item->n_items > 1)
			name_padding(arena, item->items[1]);
	}
}

struct value *fields_name_padding(struct arena *arena, const struct value *descr)
{
	struct value *named = value_copy(arena, descr);

	name_padding(arena, named);
	return named;
}

bool fields_read_item(const struct value *item, struct descr_field *out)
{
	*out = (struct descr_field){ .name = fields_name_of(item),
		.type = value_item(item, 1),
		.shape = value_item(item, 2),
		.item_bytes = item_bytes(value_item(item, 1), NULL),
		.n_items = field_count(value_item(item, 2)) };
	return value_is(out->name, VALUE_TEXT) && out->item_bytes >= 0 && out->n_items >= 0;
}

bool fields_are_readable(const struct value *descr, const char *type)
{
	return item_bytes(descr, type) >= 0;
}

/* 'O' is only in typestrs and names of object types; StringDType has pointers, too. */
static bool type_holds_objects(const struct value *type)
{
	if (value_is(type, VALUE_TEXT) || value_is(type, VALUE_OPAQUE))
		return strpbrk(type->bytes, "OT") || strstr(type->bytes, "object");
	if (value_is(type, VALUE_LIST))
		return fields_hold_objects(type);
	for (size_t i = 0;
		(value_is(type, VALUE_TUPLE) || value_is(type, VALUE_MAP)) && i < type->n_items;
		i++)
		if (!(value_is(type, VALUE_MAP) && (!strcmp(type->keys[i], "names") ||
							   !strcmp(type->keys[i], "titles"))) &&
			type_holds_objects(type->items[i]))
			return true;
	return false;
}

bool fields_hold_objects(const struct value *descr)
{
	if (!value_is_sequence(descr))
		return type_holds_objects(descr);
	for (size_t i = 0; i < descr->n_items; i++) {
		const struct value *field = descr->items[i];

		/* Anything else is an item of an invalid descr: {'formats': ['|O']}. */
		if (type_holds_objects(value_is_sequence(field) ? value_item(field, 1) : field))
			return true;
	}
	return false;
}

bool fields_pep3118_hold_objects(const char *format)
{
	bool is_name = false;

	for (; format && *format; format++) {
		is_name ^= *format == ':';
		if (*format == 'O' && !is_name)
			return true;
	}
	return false;
}

/* The code of a plain element with standard sizes and no alignment; NULL if there is none. */
static const char *standard_code(const struct dtype *dtype)
{
	static const char *const signed_codes[] = { "b", "h", "i", "q" };
	static const char *const unsigned_codes[] = { "B", "H", "I", "Q" };
	int log2_bytes = dtype->bits == 8    ? 0
			 : dtype->bits == 16 ? 1
			 : dtype->bits == 32 ? 2
			 : dtype->bits == 64 ? 3
					     : -1;

	switch (dtype->kind) {
	case DTYPE_BOOL:
		return "?";
	case DTYPE_INT:
		return log2_bytes < 0 ? NULL : signed_codes[log2_bytes];
	case DTYPE_UINT:
		return log2_bytes < 0 ? NULL : unsigned_codes[log2_bytes];
	case DTYPE_FLOAT:
		return log2_bytes == 1 ? "e" : log2_bytes == 2 ? "f" : log2_bytes == 3 ? "d" : NULL;
	case DTYPE_COMPLEX:
		return log2_bytes == 3 ? "Zf" : dtype->bits == 128 ? "Zd" : NULL;
	default:
		return NULL;
	}
}

static int add_plain(struct text *out, const char *typestr, struct err *err)
{
	struct dtype dtype;
	const char *code;
	const char order = typestr[0] == '>' ? '>' : '<';

	if (dtype_from_typestr(&dtype, typestr, err))
		return -1;
	code = standard_code(&dtype);
	if (code)
		text_printf(out, "%c%s", order, code);
	else if (dtype.kind == DTYPE_BYTES)
		text_printf(out, "%" PRId64 "s", dtype.bits / 8);
	else if (dtype.kind == DTYPE_UNICODE)
		text_printf(out, "%c%" PRId64 "w", order, dtype.bits / 32);
	else if (dtype.kind == DTYPE_VOID)
		text_printf(out, "%" PRId64 "x", dtype.bits / 8);
	else
		return err_set(err, EXIT_TARGET,
			"suai cannot express type '%s' as a PEP 3118 format", typestr);
	return 0;
}

static void append_pep3118_shape(struct text *out, const struct value *shape)
{
	if (!shape)
		return;
	if (value_is(shape, VALUE_INT)) {
		text_printf(out, "(%" PRId64 ")", shape->integer);
		return;
	}
	for (size_t i = 0; i < shape->n_items; i++)
		text_printf(out, "%s%" PRId64, i ? "," : "(", value_int_or(shape->items[i], 0));
	text_add(out, shape->n_items ? ")" : "");
}

static int append_pep3118_field(struct text *out, const struct value *field, struct err *err)
{
	const struct value *name = fields_name_of(field);
	const struct value *type = value_item(field, 1);
	const struct value *shape = value_item(field, 2);

	if (!value_is(name, VALUE_TEXT) || field_count(shape) < 0)
		return err_set(err, EXIT_TARGET, "the fields of 'descr' are malformed");
	if (strchr(name->bytes, ':') || strlen(name->bytes) != name->n_bytes)
		return err_set(err, EXIT_TARGET, "PEP 3118 cannot express the field name '%s'",
			name->bytes);
	append_pep3118_shape(out, shape);
	if (value_is(type, VALUE_LIST) ? fields_to_pep3118(out, type, err)
				       : add_plain(out, value_text_or(type, ""), err))
		return err_wrap(err, "field '%s'", name->bytes);
	if (name->n_bytes)
		text_printf(out, ":%s:", name->bytes);
	return 0;
}

int fields_to_pep3118(struct text *out, const struct value *descr, struct err *err)
{
	text_add(out, "T{");
	for (size_t i = 0; value_is(descr, VALUE_LIST) && i < descr->n_items; i++)
		if (append_pep3118_field(out, descr->items[i], err))
			return -1;
	text_add(out, "}");
	return 0;
}
