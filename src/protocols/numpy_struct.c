// SPDX-License-Identifier: MIT
/* __array_struct__ (NumPy's document, C-struct access): PyArrayInterface, with strides in bytes. */
#include "model/runtimes.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FLAG_NOT_SWAPPED = 0x200, FLAG_WRITEABLE = 0x400 };

static int numpy_struct_read_shape(
	const struct value *declared, struct array *array, struct err *err)
{
	const struct value *shape = value_get(declared, "shape");
	int64_t n_dims = value_int_or(value_get(declared, "nd"), -1);

	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS)
		return err_set(err, EXIT_FINDINGS, "nd is %" PRId64 ", expected 0 to %d", n_dims,
			ARRAY_MAX_DIMS);
	array->n_dims = (int)n_dims;
	if (n_dims && value_is_null(shape))
		return err_set(err, EXIT_FINDINGS, "shape is NULL but nd is %" PRId64, n_dims);
	if (n_dims && protocol_read_counted(shape, "shape", n_dims, array->shape, err))
		return -1;
	return protocol_check_extents(array, "shape", err);
}

int protocol_read_struct_type(const struct value *declared, struct dtype *dtype, struct err *err)
{
	const char *kind = value_text_or(value_get(declared, "typekind"), "?");
	int64_t itemsize = value_int_or(value_get(declared, "itemsize"), -1);
	int64_t flags = value_int_or(value_get(declared, "flags"), 0);
	int64_t unit_bytes = *kind == 'U' ? 4 : 1, count;
	char typestr[DTYPE_TEXT_BYTES];

	if (itemsize < 0 || itemsize > INT32_MAX)
		return err_set(err, EXIT_FINDINGS, "itemsize is %" PRId64 ", expected 0 to %d",
			itemsize, INT32_MAX);
	if (!*kind || !strchr(PROTOCOL_NUMPY_KINDS, *kind))
		return err_set(err, EXIT_FINDINGS,
			"typekind is '%.8s', expected one of t b i u f c m M O S U V", kind);
	count = *kind == 't' ? itemsize * 8 : itemsize / unit_bytes;
	snprintf(typestr, sizeof(typestr), "%c%c%" PRId64, flags & FLAG_NOT_SWAPPED ? '<' : '>',
		*kind, count);
	if (itemsize % unit_bytes || dtype_from_typestr(dtype, typestr, err))
		return err_set(err, EXIT_FINDINGS,
			"itemsize is %" PRId64 ", which is not a valid size for typekind '%c'",
			itemsize, *kind);
	return 0;
}

/* A PyCapsule without a name whose struct begins with 2. */
static int numpy_struct_check_capsule(const struct value *declared, struct err *err)
{
	const struct value *capsule = value_get(declared, "capsule");
	const struct value *two = value_get(declared, "two");

	if (!value_is(capsule, VALUE_MAP))
		return protocol_refuse(capsule, "capsule", "a PyCapsule", err);
	if (!value_is_null(value_get(capsule, "name")))
		return err_set(err, EXIT_FINDINGS, "capsule must have no name");
	if (value_is_null(two))
		return err_set(
			err, EXIT_FINDINGS, "the capsule points to memory that cannot be read");
	if (value_int_or(two, 0) != 2)
		return protocol_refuse_integer(two, "two", "2", err);
	return 0;
}

/* NumPy intends to set the descr flag of a structure, but clears all other flags. */
bool protocol_lost_struct_flags(const struct value *declared)
{
	return !value_int_or(value_get(declared, "flags"), 0) &&
	       !value_is_null(value_get(declared, "descr"));
}

static int numpy_struct_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;
	int64_t flags = value_int_or(value_get(declared, "flags"), 0);

	protocol_start(array);
	if (numpy_struct_check_capsule(declared, err) ||
		protocol_read_struct_type(declared, &array->dtype, err) ||
		numpy_struct_read_shape(declared, array, err) ||
		protocol_check_numpy_size(array, err) ||
		protocol_set_strides(array, array->n_dims ? value_get(declared, "strides") : NULL,
			"strides", 1, 0, err))
		return -1;
	if (flags & PROTOCOL_STRUCT_HAS_DESCR && value_is_null(value_get(declared, "descr")))
		return err_set(err, EXIT_FINDINGS,
			"descr is NULL but flags contains ARR_HAS_DESCR (0x800)");
	value_to_address(value_get(declared, "data"), &array->pointer);
	if (!protocol_lost_struct_flags(declared))
		array->readonly = flags & FLAG_WRITEABLE ? READONLY_NO : READONLY_YES;
	array->device = (struct device){ DEVICE_CPU, 0 };
	return 0;
}

/* The struct's `two` as the version. */
static struct value *numpy_struct_version(
	struct arena *arena, const struct fact_interface *interface)
{
	const struct value *two = value_get(interface->declared, "two");

	return value_is_integer(two) ? value_copy(arena, two) : value_null(arena);
}

/* Raw bytes if the kind of element is unknown. */
static struct value *numpy_struct_repair(
	struct arena *arena, const struct fact_interface *interface)
{
	const struct value *declared = interface->declared;
	struct value *repaired = value_copy(arena, declared);
	struct dtype dtype;
	struct err ignored;

	if (protocol_read_struct_type(declared, &dtype, &ignored))
		value_set(arena, repaired, "typekind", value_text(arena, "V"));
	protocol_drop_unit_dims(arena, repaired, "nd");
	return repaired;
}

/* The size is a separate field. */
static bool numpy_struct_untype(struct arena *arena, struct value *declared, bool *has_size)
{
	*has_size = value_int_or(value_get(declared, "itemsize"), -1) >= 0;
	value_set(arena, declared, "typekind", value_text(arena, "V"));
	return *has_size;
}

static const struct struct_field numpy_struct_struct_fields[] = {
	{ .kind = STRUCT_INT32, .path = "two" },
	{ .kind = STRUCT_INT32, .path = "nd" },
	{ .kind = STRUCT_CHAR, .path = "typekind" },
	{ .kind = STRUCT_INT32, .path = "itemsize" },
	{ .kind = STRUCT_INT32, .path = "flags" },
	{ .kind = STRUCT_ENTRIES, .path = "shape", .count = "nd" },
	{ .kind = STRUCT_ENTRIES, .path = "strides", .count = "nd" },
	{ .kind = STRUCT_POINTER, .path = "data" },
	{ .kind = STRUCT_END },
};

static const struct struct_fields numpy_struct_fields = {
	.gate = "two",
	.fields = numpy_struct_struct_fields,
};

const struct protocol numpy_struct_protocol = {
	.name = PROTOCOL_NUMPY_STRUCT,
	.attribute = "__array_struct__",
	.rule_prefix = "NAI",
	.edition_key = "numpy",
	.editions = "3",
	.runtime = RUNTIME_HOST,
	.device_family = "host",
	.trials = "rounds",
	.fields = &numpy_struct_fields,
	.rank = 6,
	.describe = numpy_struct_describe,
	.repair = numpy_struct_repair,
	.untype = numpy_struct_untype,
	.version = numpy_struct_version,
};
