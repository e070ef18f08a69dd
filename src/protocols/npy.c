// SPDX-License-Identifier: MIT
/*
 * .npy files as a protocol of files (NEP 1; numpy.lib.format): descr, fortran_order, shape, and the
 * data's length. Describes exactly what numpy.load(allow_pickle=False) accepts;
 * testdata/npy/exceptions.txt lists intended differences.
 */
#include "protocols/npy.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "base/text.h"
#include "model/runtimes.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limit of a dtype's size and of each extent of a sub-array, which NumPy keeps as C ints. */
static const int64_t max_c_int = INT32_MAX;

struct descr_reader {
	struct arena *arena;
	struct err *err;
	struct text path; /* of the field that is read */
	const char *objects;
};

/* What a part of a descr declares. */
struct descr_item {
	struct value *type;  /* a typestr in canonical form, or fields */
	struct value *shape; /* of a sub-array; NULL: it is not one */
	int64_t n_bytes;     /* of the whole sub-array */
};

static int npy_read_item(
	struct descr_reader *reader, const struct value *descr, struct descr_item *item);

/* numpy.dtype's names of types (numpy.dtypes, numpy.sctypeDict), as typestrs without byte order. */
static const struct {
	const char *name, *type;
} type_names[] = {
	{ "bool", "b1" },
	{ "bool_", "b1" },
	{ "int8", "i1" },
	{ "byte", "i1" },
	{ "int16", "i2" },
	{ "short", "i2" },
	{ "int32", "i4" },
	{ "intc", "i4" },
	{ "int", "i8" },
	{ "int_", "i8" },
	{ "int64", "i8" },
	{ "intp", "i8" },
	{ "long", "i8" },
	{ "longlong", "i8" },
	{ "uint8", "u1" },
	{ "ubyte", "u1" },
	{ "uint16", "u2" },
	{ "ushort", "u2" },
	{ "uint32", "u4" },
	{ "uintc", "u4" },
	{ "uint", "u8" },
	{ "uint64", "u8" },
	{ "uintp", "u8" },
	{ "ulong", "u8" },
	{ "ulonglong", "u8" },
	{ "float16", "f2" },
	{ "half", "f2" },
	{ "float32", "f4" },
	{ "single", "f4" },
	{ "float", "f8" },
	{ "float64", "f8" },
	{ "double", "f8" },
	{ "float128", "f16" },
	{ "longdouble", "f16" },
	{ "complex64", "c8" },
	{ "csingle", "c8" },
	{ "complex", "c16" },
	{ "complex128", "c16" },
	{ "cdouble", "c16" },
	{ "complex256", "c32" },
	{ "clongdouble", "c32" },
	{ "bytes", "S0" },
	{ "bytes_", "S0" },
	{ "a", "S0" },
	{ "str", "U0" },
	{ "str_", "U0" },
	{ "unicode", "U0" },
	{ "void", "V0" },
	{ "object", "O" },
	{ "object_", "O" },
};

/* numpy.dtype's codes of one character, which may follow a byte order. */
static const struct {
	char code;
	const char *type;
} type_codes[] = {
	{ '?', "b1" },
	{ 'b', "i1" },
	{ 'B', "u1" },
	{ 'h', "i2" },
	{ 'H', "u2" },
	{ 'i', "i4" },
	{ 'I', "u4" },
	{ 'l', "i8" },
	{ 'L', "u8" },
	{ 'q', "i8" },
	{ 'Q', "u8" },
	{ 'n', "i8" },
	{ 'N', "u8" },
	{ 'p', "i8" },
	{ 'P', "u8" },
	{ 'e', "f2" },
	{ 'f', "f4" },
	{ 'd', "f8" },
	{ 'g', "f16" },
	{ 'F', "c8" },
	{ 'D', "c16" },
	{ 'G', "c32" },
	{ 'c', "S1" },
	{ 'S', "S0" },
	{ 'U', "U0" },
	{ 'V', "V0" },
	{ 'O', "O" },
	{ 'm', "m8" },
	{ 'M', "M8" },
};

static bool is_type_name(const char *text, const char **type)
{
	for (size_t i = 0; i < ARRAY_SIZE(type_names); i++)
		if (!strcmp(text, type_names[i].name)) {
			*type = type_names[i].type;
			return true;
		}
	return false;
}

static bool is_type_code(const char *text, const char **type)
{
	for (size_t i = 0; *text && i < ARRAY_SIZE(type_codes); i++)
		if (text[0] == type_codes[i].code && !text[1]) {
			*type = type_codes[i].type;
			return true;
		}
	return false;
}

/* "datetime64[s]" is "M8[s]". */
static const char *without_long_name(struct arena *arena, const char *text)
{
	static const struct {
		const char *name, *kind;
	} rows[] = { { "datetime64", "M8" }, { "timedelta64", "m8" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n_chars = strlen(rows[i].name);

		if (!strncmp(text, rows[i].name, n_chars))
			return arena_printf(arena, "%s%s", rows[i].kind, text + n_chars);
	}
	return text;
}

/* "i08" is "i8", "S+5" is "S5" and "a5" is "S5": NumPy reads the count by strtol(). */
static const char *with_plain_count(struct arena *arena, const char *text)
{
	char *end;
	long count;

	if (!text[0] || !strchr("biufcmMOSaUV", text[0]))
		return text;
	count = strtol(text + 1, &end, 10);
	if (end == text + 1 || *end || count < 0)
		return text;
	return arena_printf(arena, "%c%ld", text[0] == 'a' ? 'S' : text[0], count);
}

/* "i4,f4", "3i4" and "(2,3)f4", which numpy.dtype() reads as a structure or a sub-array. */
static bool is_compound(const char *text)
{
	return strpbrk(text, ",(") || (*text >= '0' && *text <= '9');
}

/* The typestr in canonical form of text that numpy.dtype() reads as one plain type. */
static int read_typestr(
	struct descr_reader *reader, const struct value *text, struct descr_item *item)
{
	const char *spelled = text->bytes, *rest = spelled, *type;
	struct dtype dtype;
	char typestr[DTYPE_TEXT_BYTES];

	if (strlen(spelled) != text->n_bytes)
		return err_set(reader->err, EXIT_FINDINGS, "a NUL byte follows '%.60s'", spelled);
	if (!is_type_name(spelled, &type)) {
		rest += *spelled && strchr("<>=|", *spelled) != NULL;
		if (!is_type_code(rest, &type))
			type = with_plain_count(
				reader->arena, without_long_name(reader->arena, rest));
	}
	if (dtype_from_typestr(&dtype,
		    arena_printf(reader->arena, "%c%s", *spelled == '>' ? '>' : '<', type),
		    reader->err) ||
		dtype.kind == DTYPE_BITFIELD ||
		(strchr(type, '[') && type[1] != '8') ||        /* "m08[s]" */
		dtype_to_typestr(&dtype, typestr, reader->err)) /* complex32 has none */
		return is_compound(rest)
			       ? err_set(reader->err, EXIT_UNAVAILABLE,
					 "suai does not support the type string '%.60s'", spelled)
			       : err_set(reader->err, EXIT_FINDINGS,
					 "'%.60s' is not a type that numpy.dtype accepts", spelled);
	if (dtype.kind == DTYPE_OBJECT && !reader->objects)
		reader->objects = arena_copy(reader->arena,
			reader->path.bytes ? reader->path.bytes : "", reader->path.n_bytes);
	item->n_bytes = dtype_itemsize(&dtype);
	if (item->n_bytes > max_c_int)
		return err_set(reader->err, EXIT_FINDINGS,
			"the size of '%.60s' exceeds INT_MAX bytes", spelled);
	item->type = value_text(reader->arena, typestr);
	return 0;
}

/* S0, U0 and V0, for which NumPy reads the second item as a length, not as a shape. */
static bool is_unsized(const struct descr_item *item)
{
	return value_is(item->type, VALUE_TEXT) && !item->shape && !item->n_bytes;
}

/* Puts the extents of a shape in front of those that item has. */
static int npy_read_shape(
	struct descr_reader *reader, const struct value *shape, struct descr_item *item)
{
	size_t n_extents = value_is_sequence(shape) ? shape->n_items : 1;
	struct value *joined = value_tuple(reader->arena);

	if (is_unsized(item)) {
		if (value_int_or(shape, -1) < 0)
			return err_set(reader->err, EXIT_FINDINGS,
				"expected a length of 0 or more after '%.2s', not a shape",
				value_text_or(item->type, ""));
		return read_typestr(reader,
			value_textf(reader->arena, "%.2s%" PRId64, value_text_or(item->type, ""),
				value_int_or(shape, 0)),
			item);
	}
	if (value_is_sequence(shape) && !n_extents)
		return 0;
	for (size_t i = 0; i < n_extents; i++) {
		const struct value *extent_value =
			value_is_sequence(shape) ? value_item(shape, i) : shape;
		int64_t extent = value_int_or(extent_value, -1);

		if (!value_is(extent_value, VALUE_INT) || extent < 0 || extent > max_c_int)
			return err_set(reader->err, EXIT_FINDINGS,
				"an extent of a sub-array is not an integer from 0 to %d",
				INT32_MAX);
		if (__builtin_mul_overflow(item->n_bytes, extent, &item->n_bytes) ||
			item->n_bytes > max_c_int)
			return err_set(reader->err, EXIT_FINDINGS,
				"the size of a sub-array exceeds INT_MAX bytes");
		value_append(reader->arena, joined, value_int(reader->arena, extent));
	}
	for (size_t i = 0; item->shape && i < item->shape->n_items; i++)
		value_append(reader->arena, joined, item->shape->items[i]);
	if (joined->n_items > ARRAY_MAX_DIMS)
		return err_set(reader->err, EXIT_FINDINGS,
			"a sub-array has %zu dimensions, expected at most %d", joined->n_items,
			ARRAY_MAX_DIMS);
	item->shape = joined;
	return 0;
}

/* The name of a field, a str or a tuple (title, name); NULL: it is neither. */
static const struct value *npy_field_name(const struct value *name, const struct value **title)
{
	*title = NULL;
	if (value_is(name, VALUE_TUPLE)) {
		if (name->n_items != 2)
			return NULL;
		*title = value_is_null(name->items[0]) ? NULL : name->items[0];
		if (*title && !value_is(*title, VALUE_TEXT))
			return NULL;
		name = name->items[1];
	}
	return value_is(name, VALUE_TEXT) ? name : NULL;
}

/* Padding between fields, which NumPy drops. */
static bool is_padding(const struct value *name, const struct descr_item *item)
{
	return value_is_text(name, "") &&
	       (item->shape || (value_is(item->type, VALUE_TEXT) && item->type->bytes[1] == 'V'));
}

static void add_padding(struct descr_reader *reader, struct value *fields, int64_t n_bytes)
{
	struct value *field = value_tuple(reader->arena);

	if (!n_bytes)
		return;
	value_append(reader->arena, field, value_text(reader->arena, ""));
	value_append(reader->arena, field, value_textf(reader->arena, "|V%" PRId64, n_bytes));
	value_append(reader->arena, fields, field);
}

/* Reads one field and appends it to fields, and its name and title to names. */
static int read_field(struct descr_reader *reader, const struct value *field, struct value *fields,
	struct value *names, int64_t *n_bytes)
{
	const size_t n_path = reader->path.n_bytes;
	const struct value *title, *name = npy_field_name(value_item(field, 0), &title);
	struct descr_item item = { 0 };
	struct value *copy, *plain_name, *titled;

	if (!value_is_sequence(field) || field->n_items < 2 || field->n_items > 3)
		return err_set(reader->err, EXIT_FINDINGS,
			"a field is not a tuple of a name, a type and an optional shape");
	if (!name)
		return err_set(reader->err, EXIT_FINDINGS,
			"the name of a field is neither a str nor a tuple of a title and a name");
	text_printf(&reader->path, "%s%s", n_path ? "." : "", name->bytes);
	if (npy_read_item(reader, field->items[1], &item) ||
		(field->n_items == 3 && npy_read_shape(reader, field->items[2], &item)))
		return err_wrap(reader->err, "field '%.60s'", name->bytes);
	text_truncate(&reader->path, n_path);
	if (__builtin_add_overflow(*n_bytes, item.n_bytes, n_bytes) || *n_bytes > max_c_int)
		return err_set(reader->err, EXIT_FINDINGS,
			"the size of a structure exceeds INT_MAX bytes");
	if (is_padding(value_item(field, 0), &item)) {
		add_padding(reader, fields, item.n_bytes);
		return 0;
	}
	plain_name = value_copy(reader->arena, name);
	value_append(reader->arena, names, plain_name);
	copy = value_tuple(reader->arena);
	if (title) {
		titled = value_append(reader->arena, copy, value_tuple(reader->arena));
		value_append(reader->arena, names,
			value_append(reader->arena, titled, value_copy(reader->arena, title)));
		value_append(reader->arena, titled, plain_name);
	} else {
		value_append(reader->arena, copy, plain_name);
	}
	value_append(reader->arena, copy, item.type);
	if (item.shape)
		value_append(reader->arena, copy, item.shape);
	value_append(reader->arena, fields, copy);
	return 0;
}

static int npy_compare_names(const void *left, const void *right)
{
	const struct value *a = *(struct value *const *)left, *b = *(struct value *const *)right;
	int order = memcmp(a->bytes, b->bytes, a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes);

	return order ? order : (a->n_bytes > b->n_bytes) - (a->n_bytes < b->n_bytes);
}

static int read_fields(
	struct descr_reader *reader, const struct value *descr, struct descr_item *item)
{
	struct value *names = value_list(reader->arena);

	item->type = value_list(reader->arena);
	for (size_t i = 0; i < descr->n_items; i++)
		if (read_field(reader, descr->items[i], item->type, names, &item->n_bytes))
			return -1;
	if (names->n_items)
		qsort(names->items, names->n_items, sizeof(*names->items), npy_compare_names);
	for (size_t i = 1; i < names->n_items; i++)
		if (!npy_compare_names(&names->items[i - 1], &names->items[i]))
			return err_set(reader->err, EXIT_FINDINGS,
				"'%.60s' is used more than once as the name or title of a field",
				names->items[i]->bytes);
	return 0;
}

static int npy_read_item(
	struct descr_reader *reader, const struct value *descr, struct descr_item *item)
{
	if (value_is(descr, VALUE_TEXT))
		return read_typestr(reader, descr, item);
	if (value_is(descr, VALUE_LIST))
		return read_fields(reader, descr, item);
	if (!value_is(descr, VALUE_TUPLE) || descr->n_items < 2)
		return err_set(reader->err, EXIT_FINDINGS,
			"expected a typestr, a list of fields or a tuple of a type and a shape");
	return npy_read_item(reader, descr->items[0], item) ||
			       npy_read_shape(reader, descr->items[1], item)
		       ? -1
		       : 0;
}

int npy_read_descr(struct arena *arena, const struct value *descr, struct npy_elements *elements,
	struct err *err)
{
	struct descr_reader reader = { .arena = arena, .err = err };
	struct descr_item item = { 0 };
	int rc = npy_read_item(&reader, descr, &item);

	*elements = (struct npy_elements){ .n_items = 1, .objects = reader.objects };
	text_free(&reader.path);
	if (rc)
		return err_wrap(err, "descr");
	for (size_t i = 0; item.shape && i < item.shape->n_items; i++) {
		int64_t extent = item.shape->items[i]->integer;

		if (__builtin_mul_overflow(elements->n_items, extent, &elements->n_items))
			return err_set(err, EXIT_FINDINGS,
				"descr: the number of items in a sub-array exceeds a signed 64-bit integer");
	}
	if (value_is(item.type, VALUE_TEXT))
		return dtype_from_typestr(&elements->dtype, value_text_or(item.type, ""), err);
	elements->fields = item.type;
	if (elements->n_items)
		item.n_bytes /= elements->n_items;
	return dtype_from_typestr(
		&elements->dtype, arena_printf(arena, "|V%" PRId64, item.n_bytes), err);
}

static int npy_describe_layout(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *fortran = value_get(declared, "fortran_order");
	const struct value *shape = value_get(declared, "shape");

	if (!value_is(shape, VALUE_TUPLE))
		return err_set(err, EXIT_FINDINGS, "shape is not a tuple");
	if (protocol_read_integers(
		    shape, "shape", array->shape, ARRAY_MAX_DIMS, &array->n_dims, err))
		return -1;
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] < 0)
			return err_set(err, EXIT_FINDINGS,
				"shape[%d] is %" PRId64 ", expected 0 or more", i, array->shape[i]);
	if (!value_is(fortran, VALUE_BOOL))
		return err_set(err, EXIT_FINDINGS, "fortran_order is not True or False");
	array_set_compact_strides(array, fortran->boolean ? 'F' : 'C');
	return protocol_check_numpy_size(array, err) ? err_wrap(err, "shape") : 0;
}

static int check_keys(const struct value *declared, struct err *err)
{
	static const char *const keys[] = { "descr", "fortran_order", "shape" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!value_get(declared, keys[i]))
			return err_set(err, EXIT_FINDINGS, "%s is missing", keys[i]);
	for (size_t i = 0; i < declared->n_items; i++)
		if (strcmp(declared->keys[i], keys[0]) != 0 &&
			strcmp(declared->keys[i], keys[1]) != 0 &&
			strcmp(declared->keys[i], keys[2]) != 0)
			return err_set(err, EXIT_FINDINGS,
				"unknown key '%.60s'; expected descr, fortran_order and shape",
				declared->keys[i]);
	return 0;
}

static int npy_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;
	const struct value *details = interface->details;
	int64_t n_bytes, data_offset = value_int_or(value_get(details, "data_offset"), 0), n_left;
	struct npy_elements elements;
	struct arena arena = { 0 };
	int rc;

	memset(array, 0, sizeof(*array));
	array->readonly = READONLY_UNKNOWN;
	array->device = (struct device){ NULL, -1 };
	if (check_keys(declared, err))
		return -1;
	rc = npy_read_descr(&arena, value_get(declared, "descr"), &elements, err);
	arena_free(&arena);
	if (rc)
		return -1;
	array->dtype = elements.dtype;
	if (npy_describe_layout(declared, array, err))
		return -1;
	if (elements.objects)
		return 0; /* a pickle follows the header */
	n_bytes = array_nbytes(array);
	if (elements.n_items != 1 && array_elements(array))
		return err_set(err, EXIT_FINDINGS,
			"descr is a sub-array of %" PRId64
			" item%s, which cannot be an element of an array",
			elements.n_items, plural(elements.n_items));
	if (__builtin_sub_overflow(value_int_or(value_get(details, "file_bytes"), INT64_MAX),
		    data_offset, &n_left) ||
		n_bytes > n_left)
		return err_set(err, EXIT_FINDINGS,
			"the elements take %lld byte%s, but only %lld follow the header",
			(long long)n_bytes, plural(n_bytes), (long long)(n_left > 0 ? n_left : 0));
	return 0;
}

static struct value *npy_version(struct arena *arena, const struct fact_interface *interface)
{
	const struct value *pair = value_get(interface->details, "version");

	if (!value_is(value_item(pair, 1), VALUE_INT))
		return NULL;
	return value_textf(arena, "%lld.%lld", (long long)value_int_or(value_item(pair, 0), 0),
		(long long)value_int_or(value_item(pair, 1), 0));
}

static const char *const npy_keys[] = { "descr", "fortran_order", "shape", NULL };

const struct protocol npy_protocol = {
	.name = PROTOCOL_NPY,
	.attribute = ".npy header",
	.title = "NumPy .npy files",
	.rule_prefix = "NPY",
	.runtime = RUNTIME_HOST,
	.device_family = "host",
	.details = &fact_npy_details_record,
	.rank = 7,
	.is_dictionary = true,
	.keys = npy_keys,
	.is_of_files = true,
	.describe = npy_describe,
	.version = npy_version,
};
