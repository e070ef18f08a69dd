// SPDX-License-Identifier: MIT
/* Dictionaries put right as far as their layout can be read: SUAI, CAI and NumPy's; and the structs
 * of DLPack, NumPy and PEP 3118. */
#include "protocols/repair.h"

#include "protocols/shared.h"

#include <ctype.h>
#include <dlpack/dlpack.h>
#include <inttypes.h>
#include <string.h>

/* The version, and whether offset and syclobj belong to the document. */
static const struct document {
	const char *protocol;
	int64_t version;
	bool is_sycl;
} documents[] = {
	{ "sycl", 1, true },
	{ "cuda", 3, false },
	{ "numpy", 3, false },
};

static const struct value *to_tuple(struct arena *arena, const struct value *sequence)
{
	struct value *tuple;

	if (!value_is(sequence, VALUE_LIST))
		return sequence;
	tuple = value_tuple(arena);
	for (size_t i = 0; i < sequence->n_items; i++)
		value_append(arena, tuple, sequence->items[i]);
	return tuple;
}

/* Address and flag; an address that cannot be read is 0, such a flag says read-only. */
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

/* Without dimensions of one element, of which only the number is wrong, where there are more than
 * any array has; an extent of 0 is all that is left of such a shape. The counts of elements and
 * bytes and the reach stay as they are. */
static void drop_unit_dims(struct arena *arena, struct value *repaired, const char *n_dims)
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

static void keep(
	struct arena *arena, struct value *repaired, const struct value *declared, const char *key)
{
	const struct value *item = to_tuple(arena, value_get(declared, key));

	if (item)
		value_set(arena, repaired, key, value_copy(arena, item));
}

/* is_buffer: NumPy's data are a buffer, of which details tell. */
static struct value *repair_dictionary(struct arena *arena, const struct document *document,
	const struct value *declared, bool is_buffer)
{
	struct value *repaired = value_map(arena);

	keep(arena, repaired, declared, "shape");
	keep(arena, repaired, declared, "typestr");
	keep(arena, repaired, declared, "strides");
	if (is_buffer)
		keep(arena, repaired, declared, "data");
	else
		value_set(arena, repaired, "data", repair_data(arena, value_get(declared, "data")));
	drop_unit_dims(arena, repaired, NULL);
	value_set(arena, repaired, "version", value_int(arena, document->version));
	if ((document->is_sycl || is_buffer) && value_is_integer(value_get(declared, "offset")))
		keep(arena, repaired, declared, "offset");
	if (document->is_sycl)
		value_set(arena, repaired, "syclobj", value_text(arena, "cpu"));
	return repaired;
}

/* Of a tensor of too many dimensions those whose extent is not 1, where all were read and none is
 * negative: no more than 62 of them reach memory. */
static void shorten(struct arena *arena, struct value *tensor)
{
	const struct value *layout = value_get(tensor, "long_layout");
	struct value *shape, *strides;

	if (!value_is(layout, VALUE_MAP) ||
		!value_equal(value_get(layout, "read"), value_get(tensor, "ndim")) ||
		!value_is_null(value_get(layout, "negative")))
		return;
	if (value_bool_or(value_get(layout, "has_zero"), false)) {
		shape = value_tuple(arena);
		strides = value_tuple(arena);
		value_append(arena, shape, value_int(arena, 0));
		value_append(arena, strides, value_int(arena, 1));
	} else {
		shape = value_copy(arena, value_get(layout, "shape"));
		strides = value_copy(arena, value_get(layout, "strides"));
	}
	value_set(arena, tensor, "ndim", value_int(arena, (int64_t)shape->n_items));
	value_set(arena, tensor, "shape", shape);
	value_set(arena, tensor, "strides", strides);
	value_set(arena, tensor, "long_layout", value_null(arena));
}

/* A capsule with a destructor, and a struct that may leave strides out. */
static struct value *repair_dlpack(struct arena *arena, const struct value *declared)
{
	struct value *repaired = value_map(arena), *capsule = value_map(arena);
	struct value *version = value_tuple(arena);
	bool is_legacy = value_is_null(value_get(declared, "version"));

	value_append(arena, version, value_int(arena, 1));
	value_append(arena, version, value_int(arena, 1));
	value_set(arena, capsule, "name", value_text(arena, "dltensor"));
	value_set(arena, capsule, "destructor", value_bool(arena, true));
	value_set(arena, repaired, "capsule", capsule);
	value_set(arena, repaired, "version", is_legacy ? value_null(arena) : version);
	keep(arena, repaired, declared, "flags");
	keep(arena, repaired, declared, "dl_tensor");
	shorten(arena, (struct value *)value_get(repaired, "dl_tensor"));
	return repaired;
}

/* Raw bytes where the kind of element is unknown. */
static struct value *repair_numpy_struct(struct arena *arena, const struct value *declared)
{
	struct value *repaired = value_copy(arena, declared);
	struct dtype dtype;
	struct err ignored;

	if (protocol_read_struct_type(declared, &dtype, &ignored))
		value_set(arena, repaired, "typekind", value_text(arena, "V"));
	drop_unit_dims(arena, repaired, "nd");
	return repaired;
}

/* The bytes of all elements; -1 where shape cannot say. */
static int64_t count_bytes(const struct value *shape, int64_t itemsize)
{
	int64_t n_bytes = itemsize;

	for (size_t i = 0; i < shape->n_items; i++)
		if (__builtin_mul_overflow(n_bytes, value_int_or(shape->items[i], -1), &n_bytes))
			return -1;
	return n_bytes;
}

/* Whether format, as given, takes itemsize bytes, or a number that cannot be told. */
static bool is_format_right(const struct value *format, int64_t itemsize)
{
	int64_t n_bytes = value_is(format, VALUE_TEXT) ? dtype_pep3118_bytes(format->bytes) : -1;

	return value_is(format, VALUE_TEXT) &&
	       (n_bytes < 0 || n_bytes == itemsize ||
		       dtype_pep3118_padded_bytes(format->bytes) == itemsize);
}

/* The elements are itemsize raw bytes where format is wrong, and as many as shape says; all
 * suboffsets that are negative are left out, and what a scalar has not. */
static struct value *repair_buffer(struct arena *arena, const struct value *declared)
{
	static const char *const arrays[] = { "shape", "strides", "suboffsets" };
	struct value *repaired = value_copy(arena, declared);
	int64_t itemsize = value_int_or(value_get(declared, "itemsize"), -1);
	const struct value *shape = value_get(declared, "shape");
	const struct value *suboffsets = value_get(declared, "suboffsets");
	bool is_scalar = value_int_or(value_get(declared, "ndim"), -1) == 0, is_indirect = false;

	if (!is_format_right(value_get(declared, "format"), itemsize))
		value_set(arena, repaired, "format",
			value_text(arena, arena_printf(arena, "%llds", (long long)itemsize)));
	for (size_t i = 0; is_scalar && i < sizeof(arrays) / sizeof(*arrays); i++)
		value_set(arena, repaired, arrays[i], value_null(arena));
	if (is_scalar || value_is_sequence(shape))
		value_set(arena, repaired, "len",
			value_int(arena, is_scalar ? itemsize : count_bytes(shape, itemsize)));
	for (size_t i = 0; value_is_sequence(suboffsets) && i < suboffsets->n_items; i++)
		is_indirect |= value_int_or(suboffsets->items[i], 0) >= 0;
	if (!is_indirect)
		value_set(arena, repaired, "suboffsets", value_null(arena));
	drop_unit_dims(arena, repaired, "ndim");
	return repaired;
}

/* By the name of a protocol whose facts are a struct. */
static const struct {
	const char *protocol;
	struct value *(*repair)(struct arena *arena, const struct value *declared);
} structs[] = {
	{ "dlpack", repair_dlpack },
	{ "numpy-struct", repair_numpy_struct },
	{ "buffer", repair_buffer },
};

/* What is declared, put right; NULL where nobody knows how. */
static struct value *repair(
	struct arena *arena, const char *protocol, const struct value *interface)
{
	const struct value *declared = value_get(interface, "declared");
	bool is_buffer = value_is(value_at(interface, "details.buffer"), VALUE_MAP) &&
			 !value_is_sequence(value_get(declared, "data"));

	if (!value_is(declared, VALUE_MAP))
		return NULL;
	for (size_t i = 0; i < sizeof(structs) / sizeof(*structs); i++)
		if (!strcmp(protocol, structs[i].protocol))
			return structs[i].repair(arena, declared);
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++)
		if (!strcmp(protocol, documents[i].protocol))
			return repair_dictionary(arena, &documents[i], declared, is_buffer);
	return NULL;
}

int protocol_describe_somehow(const struct protocol *protocol, struct arena *arena,
	const struct value *interface, struct array *array, bool *is_repaired, struct err *err)
{
	const struct value *details = value_get(interface, "details");
	struct value *repaired, *declared;
	struct err ignored;

	*is_repaired = false;
	if (!protocol->describe(interface, array, err))
		return 0;
	declared = repair(arena, protocol->name, interface);
	if (!declared)
		return -1;
	repaired = value_map(arena);
	value_set(arena, repaired, "declared", declared);
	if (details) {
		struct value *copy = value_copy(arena, details);

		/* A mapping that is not a dict has the same keys. */
		if (value_get(copy, "mapping"))
			value_set(arena, copy, "mapping", value_bool(arena, false));
		value_set(arena, repaired, "details", copy);
	}
	*is_repaired = !protocol->describe(repaired, array, &ignored);
	/* An offset that leads out of the address space leaves shape and strides as they are. */
	if (!*is_repaired && value_get(declared, "offset")) {
		value_set(arena, declared, "offset", value_int(arena, 0));
		*is_repaired = !protocol->describe(repaired, array, &ignored);
	}
	return *is_repaired ? 0 : -1;
}

/* --- the element type alone unknown --- */

/* The bytes of an element that a typestr NumPy does not know reports: the number behind its kind;
 * -1 where there is none. */
static int64_t typestr_bytes(const struct value *typestr)
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

/* A typestr of as many bytes that the protocol takes; NULL where it has none. */
static const char *raw_typestr(struct arena *arena, bool is_sycl, int64_t n_bytes)
{
	if (!is_sycl)
		return arena_printf(arena, "|V%" PRId64, n_bytes);
	switch (n_bytes) {
	case 1:
		return "|u1";
	case 2:
		return "<u2";
	case 4:
		return "<u4";
	case 8:
		return "<u8";
	case 16:
		return "<c16";
	default:
		return NULL;
	}
}

static bool untype_dictionary(
	struct arena *arena, const char *protocol, struct value *declared, bool *has_size)
{
	int64_t n_bytes = typestr_bytes(value_get(declared, "typestr"));
	const char *typestr;

	*has_size = n_bytes >= 0;
	typestr = raw_typestr(arena, !strcmp(protocol, "sycl"), *has_size ? n_bytes : 1);
	if (typestr)
		value_set(arena, declared, "typestr", value_text(arena, typestr));
	return typestr != NULL;
}

static bool untype_dlpack(struct arena *arena, struct value *declared, bool *has_size)
{
	struct value *tensor = (struct value *)value_get(declared, "dl_tensor");
	const struct value *dtype = value_get(tensor, "dtype");
	int64_t bits = value_int_or(value_get(dtype, "bits"), 0);
	int64_t lanes = value_int_or(value_get(dtype, "lanes"), 0);
	struct value *raw = value_map(arena);

	if (!value_is(tensor, VALUE_MAP))
		return false;
	*has_size = bits > 0 && lanes > 0;
	value_set(arena, raw, "code", value_int(arena, kDLOpaqueHandle));
	value_set(arena, raw, "bits", value_int(arena, *has_size ? bits : 8));
	value_set(arena, raw, "lanes", value_int(arena, *has_size ? lanes : 1));
	value_set(arena, tensor, "dtype", raw);
	return true;
}

/* The struct of NumPy and the Py_buffer have the size beside the type. */
static bool untype_sized(
	struct arena *arena, const char *protocol, struct value *declared, bool *has_size)
{
	int64_t n_bytes = value_int_or(value_get(declared, "itemsize"), -1);

	*has_size = n_bytes >= 0;
	if (!strcmp(protocol, "buffer"))
		value_set(arena, declared, "format",
			value_text(arena, arena_printf(arena, "%" PRId64 "s", n_bytes)));
	else
		value_set(arena, declared, "typekind", value_text(arena, "V"));
	return *has_size;
}

int protocol_describe_untyped(const struct protocol *protocol, struct arena *arena,
	const struct value *interface, struct array *array, bool *has_size)
{
	const char *name = protocol->name;
	struct value *untyped = value_copy(arena, interface);
	struct value *declared = (struct value *)value_get(untyped, "declared");
	struct err ignored;
	bool is_changed;

	if (!value_is(declared, VALUE_MAP))
		return -1;
	if (!strcmp(name, "dlpack"))
		is_changed = untype_dlpack(arena, declared, has_size);
	else if (!strcmp(name, "numpy-struct") || !strcmp(name, "buffer"))
		is_changed = untype_sized(arena, name, declared, has_size);
	else
		is_changed = untype_dictionary(arena, name, declared, has_size);
	return is_changed && !protocol->describe(untyped, array, &ignored) ? 0 : -1;
}

int protocol_find_extent(const struct protocol *protocol, struct arena *arena,
	const struct value *interface, struct array *array, uint64_t *low, uint64_t *high,
	struct err *err)
{
	bool is_repaired, has_size = true;
	struct err ignored;

	if (protocol_describe_somehow(protocol, arena, interface, array, &is_repaired, err) &&
		protocol_describe_untyped(protocol, arena, interface, array, &has_size))
		return -1;
	if (!has_size || array_extent(array, low, high, &ignored))
		*low = *high = array->pointer;
	return 0;
}
