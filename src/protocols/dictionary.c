// SPDX-License-Identifier: MIT
/* What the dictionary protocols share: the keys that all of them took from NumPy's array interface.
 */
#include "protocols/shared.h"

#include "base/memory.h"
#include "base/plural.h"
#include "model/fields.h"
#include "protocols/protocol.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int protocol_read_shape(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *shape = value_get(declared, "shape");

	if (!value_is(shape, VALUE_TUPLE))
		return protocol_refuse(shape, "shape", "a tuple", err);
	if (protocol_read_integers(
		    shape, "shape", array->shape, ARRAY_MAX_DIMS, &array->n_dims, err))
		return -1;
	return protocol_check_extents(array, "shape", err);
}

int protocol_read_typestr(
	const struct value *declared, const char *kinds, struct dtype *dtype, struct err *err)
{
	const struct value *typestr = value_get(declared, "typestr");
	char spelt[DTYPE_TEXT_BYTES];

	if (!value_is(typestr, VALUE_TEXT))
		return protocol_refuse(typestr, "typestr", "a str", err);
	if (strlen(typestr->bytes) != typestr->n_bytes)
		return err_set(err, EXIT_FINDINGS, "typestr contains a null character");
	if (dtype_from_typestr(dtype, typestr->bytes, err)) {
		err->code = EXIT_FINDINGS;
		return err_wrap(err, "typestr");
	}
	if (!dtype_spell_out(typestr->bytes, spelt))
		snprintf(spelt, sizeof(spelt), "%s", typestr->bytes);
	if (!strchr(kinds, spelt[1]))
		return err_set(err, EXIT_FINDINGS, "typestr is '%s', whose kind is not one of %s",
			typestr->bytes, kinds);
	return 0;
}

int protocol_read_strides(const struct value *declared, int64_t unit_bytes, int64_t start_bytes,
	struct array *array, struct err *err)
{
	const struct value *strides = value_get(declared, "strides");

	if (!value_is_null(strides) && !value_is(strides, VALUE_TUPLE))
		return protocol_refuse(strides, "strides", "a tuple or None", err);
	return protocol_set_strides(array, strides, "strides", unit_bytes, start_bytes, err);
}

int protocol_read_pointer(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *data = value_get(declared, "data");

	if (!value_is(data, VALUE_TUPLE))
		return protocol_refuse(data, "data", "a tuple of two", err);
	if (data->n_items != 2)
		return err_set(err, EXIT_FINDINGS, "data has %zu %s, expected 2", data->n_items,
			data->n_items == 1 ? "entry" : "entries");
	if (!value_is_integer(data->items[0]))
		return protocol_refuse(data->items[0], "data[0]", "an int", err);
	if (!value_to_uint64(data->items[0], &array->pointer))
		return protocol_refuse_integer(data->items[0], "data[0]", "0 to 2^64 - 1", err);
	return 0;
}

int protocol_read_readonly(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *flag = value_at(declared, "data[1]");

	if (!value_is(flag, VALUE_BOOL) || flag->type_name)
		return protocol_refuse(flag, "data[1]", "a bool", err);
	array->readonly = flag->boolean ? READONLY_YES : READONLY_NO;
	return 0;
}

static int check_field(const struct value *field, const char *name, struct err *err);

static int compare_field_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names and titles of fields are unique; padding has neither. NumPy's fields are a dictionary with
 * both as keys, in which a field without a name has its title as the name, too. */
static int check_names(const struct value *descr, const char *name, struct err *err)
{
	const char **names = mem_alloc((2 * descr->n_items + 1) * sizeof(*names));
	bool has_titles = false;
	size_t n_names = 0;
	int rc = 0;

	for (size_t i = 0; i < descr->n_items; i++) {
		const struct value *title = fields_title_of(descr->items[i]);
		const char *own = value_text_or(fields_name_of(descr->items[i]), "");

		if (*own || title)
			names[n_names++] = *own ? own : title->bytes;
		if (title)
			names[n_names++] = title->bytes;
		has_titles |= title != NULL;
	}
	qsort(names, n_names, sizeof(*names), compare_field_names);
	for (size_t i = 1; !rc && i < n_names; i++)
		if (!strcmp(names[i - 1], names[i]))
			rc = err_set(err, EXIT_FINDINGS,
				has_titles ? "%s has two names or titles '%.60s'"
					   : "%s has two fields named '%.60s'",
				name, names[i]);
	free(names);
	return rc;
}

/* A list of fields; each a tuple of name, type and perhaps shape. */
static int check_fields(const struct value *descr, const char *name, struct err *err)
{
	char item[128];

	if (!value_is(descr, VALUE_LIST))
		return protocol_refuse(descr, name, "a list", err);
	if (check_names(descr, name, err))
		return -1;
	for (size_t i = 0; i < descr->n_items; i++) {
		snprintf(item, sizeof(item), "%.100s[%zu]", name, i);
		if (check_field(descr->items[i], item, err))
			return -1;
	}
	return 0;
}

static int check_field(const struct value *field, const char *name, struct err *err)
{
	const struct value *type = value_item(field, 1);
	char inner[128];

	if (!value_is(field, VALUE_TUPLE) || field->n_items < 2 || field->n_items > 3)
		return err_set(err, EXIT_FINDINGS, "%s must be a 2-tuple or 3-tuple", name);
	if (!value_is(fields_name_of(field), VALUE_TEXT)) {
		snprintf(inner, sizeof(inner), "%.100s[0]", name);
		return protocol_refuse(
			field->items[0], inner, "a str, or a tuple of a title and a str", err);
	}
	if (!value_is(type, VALUE_LIST))
		return 0;
	snprintf(inner, sizeof(inner), "%.100s[1]", name);
	return check_fields(type, inner, err);
}

/* Names what is wrong with a field's shape, unless the product of its extents overflows. */
static int check_field_shape(const struct value *shape, const char *name, struct err *err)
{
	size_t n_items = value_is_sequence(shape) ? shape->n_items : 1;
	char item[128];

	for (size_t i = 0; i < n_items; i++) {
		const struct value *extent = value_is_sequence(shape) ? shape->items[i] : shape;

		snprintf(item, sizeof(item), value_is_sequence(shape) ? "%.100s[%zu]" : "%.100s",
			name, i);
		if (!value_is_integer(extent))
			return protocol_refuse(extent, item,
				value_is_sequence(shape) ? "an int" : "an int or a tuple of ints",
				err);
		if (protocol_is_negative(extent))
			return protocol_refuse_integer(extent, item, "0 or more", err);
	}
	return 0;
}

/* Names the type or shape of the first field whose size is unknown. `excepted` is a type that may
 * be unknown. */
static int check_field_sizes(
	const struct value *type, const char *name, const char *excepted, struct err *err)
{
	char inner[128];

	if (value_is(type, VALUE_TEXT))
		return fields_are_readable(type, excepted)
			       ? 0
			       : err_set(err, EXIT_FINDINGS, "%s is '%.40s', whose size is unknown",
					 name, type->bytes);
	if (value_is(type, VALUE_OPAQUE) && type->type_name && !strcmp(type->type_name, "list"))
		return err_set(err, EXIT_FINDINGS, "cannot read %s: %s", name, type->bytes);
	if (!value_is(type, VALUE_LIST))
		return protocol_refuse(type, name, "a str or a list", err);
	for (size_t i = 0; i < type->n_items; i++) {
		const struct value *shape = value_item(type->items[i], 2);

		snprintf(inner, sizeof(inner), "%.100s[%zu][1]", name, i);
		if (check_field_sizes(value_item(type->items[i], 1), inner, excepted, err))
			return -1;
		snprintf(inner, sizeof(inner), "%.100s[%zu][2]", name, i);
		if (shape && check_field_shape(shape, inner, err))
			return -1;
	}
	return 0;
}

/* The element's type without byte order, as a field's typestr spells it; NULL: it has none. */
static const char *own_type(const struct value *declared, char *buffer, size_t n_chars)
{
	const char *typestr = value_text_or(value_get(declared, "typestr"), "");
	const struct value *kind = value_get(declared, "typekind");

	if (*typestr)
		return typestr + 1;
	if (!value_is(kind, VALUE_TEXT))
		return NULL;
	snprintf(buffer, n_chars, "%.1s%" PRId64, kind->bytes,
		value_int_or(value_get(declared, "itemsize"), -1));
	return buffer;
}

int protocol_check_descr(const struct value *declared, const struct dtype *dtype, struct err *err)
{
	const struct value *descr = value_get(declared, "descr");
	char buffer[32];
	const char *type;
	int64_t n_bytes;

	if (value_is_null(descr) || value_exceeds_limit(descr))
		return 0;
	if (check_fields(descr, "descr", err))
		return -1;
	n_bytes = fields_item_bytes(descr);
	type = own_type(declared, buffer, sizeof(buffer));
	if (n_bytes < 0 && (dtype || !fields_are_readable(descr, type)))
		return check_field_sizes(descr, "descr", dtype ? NULL : type, err)
			       ? -1
			       : err_set(err, EXIT_FINDINGS,
					 "the fields in descr take more than 2^63 - 1 bytes");
	if (!dtype)
		return 0;
	if (n_bytes != dtype_itemsize(dtype))
		return err_set(err, EXIT_FINDINGS,
			"the fields in descr take %" PRId64 " byte%s, but an element has %" PRId64,
			n_bytes, plural(n_bytes), dtype_itemsize(dtype));
	return 0;
}

int protocol_check_mask(const struct value *declared, const char *attribute, struct err *err)
{
	const struct value *mask = value_get(declared, "mask");

	if (value_is_null(mask) || value_is(mask, VALUE_OPAQUE) ||
		value_bool_or(value_get(mask, "exposes"), false))
		return 0;
	return err_set(
		err, EXIT_FINDINGS, "mask must be None or an object that exposes %s", attribute);
}

int protocol_check_mask_interface(
	const struct value *declared, const char *attribute, struct err *err)
{
	const struct value *interface = value_at(declared, "mask.declared");
	char name[64];

	/* None: the mask has another interface. An opaque object may be a mapping. */
	if (value_is(interface, VALUE_MAP) || value_is(interface, VALUE_OPAQUE) ||
		value_is_null(interface))
		return 0;
	snprintf(name, sizeof(name), "mask.%s", attribute);
	return protocol_refuse(interface, name, "a dict", err);
}

int protocol_check_mask_shape(const struct value *declared, struct err *err)
{
	const struct value *shape = value_get(declared, "shape");
	const struct value *mask = value_at(declared, "mask.declared.shape");
	bool is_wider;

	if (!value_is_sequence(mask) || !value_is_sequence(shape))
		return 0;
	is_wider = mask->n_items > shape->n_items;
	for (size_t i = 1; !is_wider && i <= mask->n_items; i++) {
		int64_t extent = value_int_or(mask->items[mask->n_items - i], 1);

		is_wider = extent != 1 &&
			   extent != value_int_or(shape->items[shape->n_items - i], extent);
	}
	return is_wider ? err_set(err, EXIT_FINDINGS,
				  "the shape of mask does not broadcast to the shape of the array")
			: 0;
}

int protocol_check_version(const struct value *declared, struct err *err)
{
	const struct value *version = value_get(declared, "version");

	if (!value_is_integer(version))
		return protocol_refuse(version, "version", "an int", err);
	if (protocol_is_negative(version))
		return protocol_refuse_integer(version, "version", "0 or more", err);
	return 0;
}

bool protocol_is_negative(const struct value *integer)
{
	if (value_is(integer, VALUE_WIDE_INT))
		return integer->bytes[0] == '-';
	return value_int_or(integer, 0) < 0;
}

struct value *protocol_dictionary_version(
	struct arena *arena, const struct fact_interface *interface)
{
	const struct value *version = value_get(interface->declared, "version");

	return value_is_integer(version) ? value_copy(arena, version) : value_null(arena);
}

/* Address and flag; an address that cannot be read is 0, such a flag means read-only. */
static struct value *repair_data(struct arena *arena, const struct value *data)
{
	struct value *pair = value_tuple(arena);
	uint64_t address = 0;
	bool readonly = true;

	if (value_is_sequence(data)) {
		value_to_uint64(value_item(data, 0), &address);
		readonly = value_bool_or(value_item(data, 1), true);
	}
	value_append(arena, pair, value_uint(arena, address));
	value_append(arena, pair, value_bool(arena, readonly));
	return pair;
}

void protocol_drop_unit_dims(struct arena *arena, struct value *repaired, const char *n_dims)
{
	const struct value *shape = value_get(repaired, "shape");
	const struct value *strides = value_get(repaired, "strides");
	struct value *extents = value_tuple(arena), *steps = value_tuple(arena);
	bool has_strides = value_is_sequence(strides), is_empty = false;

	if (!value_is_sequence(shape) || shape->n_items <= ARRAY_MAX_DIMS ||
		(n_dims &&
			value_int_or(value_get(repaired, n_dims), -1) != (int64_t)shape->n_items) ||
		(has_strides && strides->n_items != shape->n_items))
		return;
	for (size_t i = 0; i < shape->n_items; i++) {
		int64_t extent = value_int_or(shape->items[i], -1);

		is_empty |= extent == 0;
		if (extent == 1)
			continue;
		value_append(arena, extents, value_copy(arena, shape->items[i]));
		if (has_strides)
			value_append(arena, steps, value_copy(arena, strides->items[i]));
	}
	if (is_empty) {
		extents = value_tuple(arena);
		value_append(arena, extents, value_int(arena, 0));
	}
	if (n_dims)
		value_set(arena, repaired, n_dims, value_int(arena, (int64_t)extents->n_items));
	if (has_strides)
		value_set(arena, repaired, "strides", is_empty ? value_null(arena) : steps);
	value_set(arena, repaired, "shape", extents);
	if (n_dims && !extents->n_items) {
		value_set(arena, repaired, "shape", value_null(arena));
		value_set(arena, repaired, "strides", value_null(arena));
	}
}

void protocol_keep_item(
	struct arena *arena, struct value *repaired, const struct value *declared, const char *key)
{
	const struct value *item = value_get(declared, key);
	struct value *copy;

	if (!item)
		return;
	copy = value_set(arena, repaired, key, value_copy(arena, item));
	if (copy->kind == VALUE_LIST) {
		copy->kind = VALUE_TUPLE;
		copy->type_name = NULL;
	}
}

struct value *protocol_repair_dictionary(
	struct arena *arena, const struct value *declared, int64_t version)
{
	struct value *repaired = value_map(arena);
	const struct value *typestr = value_get(declared, "typestr");

	protocol_keep_item(arena, repaired, declared, "shape");
	protocol_keep_item(arena, repaired, declared, "typestr");
	/* Bytes, which NumPy accepts, are the text that they spell. */
	if (value_is(typestr, VALUE_BYTES) && !memchr(typestr->bytes, '\0', typestr->n_bytes))
		value_set(arena, repaired, "typestr",
			value_text_n(arena, typestr->bytes, typestr->n_bytes));
	protocol_keep_item(arena, repaired, declared, "strides");
	value_set(arena, repaired, "data", repair_data(arena, value_get(declared, "data")));
	protocol_drop_unit_dims(arena, repaired, NULL);
	value_set(arena, repaired, "version", value_int(arena, version));
	return repaired;
}

int64_t protocol_typestr_bytes(const struct value *typestr)
{
	const char *text = value_text_or(typestr, "");
	const char *digits = text + (*text && strchr("<>|=", *text));
	int64_t n_bytes = 0;
	char kind = *digits;

	if (!isalpha((unsigned char)kind) || !isdigit((unsigned char)digits[1]))
		return -1;
	for (digits++; isdigit((unsigned char)*digits); digits++)
		if (__builtin_mul_overflow(n_bytes, 10, &n_bytes) ||
			__builtin_add_overflow(n_bytes, *digits - '0', &n_bytes))
			return -1;
	if (*digits && *digits != '[')
		return -1;
	if (kind == 'U' && __builtin_mul_overflow(n_bytes, 4, &n_bytes))
		return -1;
	return kind == 't' ? -1 : n_bytes;
}

bool protocol_untype_dictionary(struct arena *arena, struct value *declared, bool *has_size)
{
	int64_t n_bytes = protocol_typestr_bytes(value_get(declared, "typestr"));

	*has_size = n_bytes >= 0;
	value_set(arena, declared, "typestr",
		value_textf(arena, "|V%" PRId64, *has_size ? n_bytes : 1));
	return true;
}
