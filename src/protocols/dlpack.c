// SPDX-License-Identifier: MIT
/*
 * DLPack 1.3 (dlpack.h; python_spec): the capsule of __dlpack__, versioned or legacy. Strides are
 * in elements; the first element is byte_offset bytes after data.
 */
#include "protocols/protocol.h"
#include "protocols/shared.h"

#include <dlpack/dlpack.h>
#include <inttypes.h>
#include <string.h>

enum { KNOWN_MAJOR = 1, STRIDES_SINCE_MINOR = 2, FLAG_READ_ONLY = 1 };

/* Whether a pointer is set: true, or an address other than 0. */
static bool is_set(const struct value *value)
{
	uint64_t address;

	if (value_is(value, VALUE_BOOL))
		return value->boolean;
	return value_to_address(value, &address) && address;
}

static bool is_legacy(const struct value *declared)
{
	return value_is_null(value_get(declared, "version"));
}

static int dlpack_check_capsule(const struct fact_interface *interface, struct err *err)
{
	const struct value *capsule = value_get(interface->declared, "capsule");
	const char *name = value_text_or(value_get(capsule, "name"), NULL);

	if (!value_is(capsule, VALUE_MAP) && value_is(interface->details, VALUE_MAP) &&
		value_is_null(value_get(interface->details, "call")))
		return err_set(
			err, EXIT_FINDINGS, "there is no capsule: __dlpack__ was not called");
	if (!value_is(capsule, VALUE_MAP))
		return protocol_refuse(capsule, "capsule", "a PyCapsule", err);
	if (value_is(value_get(capsule, "name"), VALUE_OPAQUE))
		return err_set(
			err, EXIT_FINDINGS, "capsule.name points to memory that cannot be read");
	if (!name)
		return err_set(err, EXIT_FINDINGS,
			"capsule.name is NULL, expected 'dltensor' or 'dltensor_versioned'");
	if (strcmp(name, "dltensor") != 0 && strcmp(name, "dltensor_versioned") != 0)
		return err_set(err, EXIT_FINDINGS,
			"capsule.name is '%s', expected 'dltensor' or 'dltensor_versioned'", name);
	if (!is_set(value_get(capsule, "destructor")))
		return err_set(err, EXIT_FINDINGS, "capsule.destructor is NULL");
	return 0;
}

static int dlpack_check_version(const struct value *declared, struct err *err)
{
	const struct value *tensor = value_get(declared, "dl_tensor");
	int64_t major = value_int_or(value_at(declared, "version[0]"), 0);

	if (!is_legacy(declared) && major != KNOWN_MAJOR)
		return err_set(err, EXIT_FINDINGS,
			"version is %" PRId64 ".%" PRId64 ", whose struct is unknown", major,
			value_int_or(value_at(declared, "version[1]"), 0));
	if (!value_is(tensor, VALUE_MAP))
		return protocol_refuse(tensor, "dl_tensor", "a DLTensor", err);
	return 0;
}

static int dlpack_decode_type(const struct value *tensor, struct array *array, struct err *err)
{
	const struct value *dtype = value_get(tensor, "dtype");

	if (!dtype_from_dlpack(&array->dtype, value_int_or(value_get(dtype, "code"), -1),
		    value_int_or(value_get(dtype, "bits"), 0),
		    value_int_or(value_get(dtype, "lanes"), 0), err))
		return 0;
	err->code = EXIT_FINDINGS;
	return err_wrap(err, "dl_tensor.dtype");
}

static int dlpack_read_shape(const struct value *tensor, struct array *array, struct err *err)
{
	const struct value *shape = value_get(tensor, "shape");
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), -1);

	if (n_dims > value_int_or(value_at(tensor, "long_layout.limit"), INT64_MAX))
		return err_set(err, EXIT_FINDINGS,
			"dl_tensor.ndim is %" PRId64 ", but suai reads at most %" PRId64
			" entries of shape and strides",
			n_dims, value_int_or(value_at(tensor, "long_layout.limit"), 0));
	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS)
		return err_set(err, EXIT_FINDINGS,
			"dl_tensor.ndim is %" PRId64 ", expected 0 to %d", n_dims, ARRAY_MAX_DIMS);
	array->n_dims = (int)n_dims;
	if (!n_dims)
		return 0;
	if (value_is_null(shape))
		return err_set(
			err, EXIT_FINDINGS, "dl_tensor.shape is NULL but ndim is %" PRId64, n_dims);
	if (protocol_read_counted(shape, "dl_tensor.shape", n_dims, array->shape, err))
		return -1;
	return protocol_check_extents(array, "dl_tensor.shape", err);
}

/* Since version 1.2 only a tensor without dimensions may omit strides. */
static int check_strides_given(
	const struct value *declared, const struct array *array, struct err *err)
{
	int64_t major = value_int_or(value_at(declared, "version[0]"), 0);
	int64_t minor = value_int_or(value_at(declared, "version[1]"), 0);

	if (major < 1 || minor < STRIDES_SINCE_MINOR || !array->n_dims ||
		!value_is_null(value_at(declared, "dl_tensor.strides")))
		return 0;
	return err_set(err, EXIT_FINDINGS,
		"dl_tensor.strides is NULL in version %" PRId64 ".%" PRId64, major, minor);
}

static int read_pointer(const struct value *tensor, struct array *array, struct err *err)
{
	uint64_t byte_offset = 0;

	value_to_address(value_get(tensor, "data"), &array->pointer);
	value_to_uint64(value_get(tensor, "byte_offset"), &byte_offset);
	if (!__builtin_add_overflow(array->pointer, byte_offset, &array->pointer))
		return 0;
	return err_set(err, EXIT_FINDINGS,
		"dl_tensor.byte_offset places the first element outside the address space");
}

static int dlpack_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;
	const struct value *tensor = value_get(declared, "dl_tensor");
	const struct value *device = value_get(tensor, "device");
	int64_t flags = value_int_or(value_get(declared, "flags"), 0);

	protocol_start(array);
	if (dlpack_check_capsule(interface, err) || dlpack_check_version(declared, err) ||
		dlpack_decode_type(tensor, array, err) || dlpack_read_shape(tensor, array, err) ||
		protocol_check_size(array, err) || check_strides_given(declared, array, err) ||
		protocol_set_strides(array, array->n_dims ? value_get(tensor, "strides") : NULL,
			"dl_tensor.strides", dtype_itemsize(&array->dtype), 0, err) ||
		read_pointer(tensor, array, err))
		return -1;
	array->device.type = device_type_name(value_int_or(value_get(device, "device_type"), -1));
	array->device.id = value_int_or(value_get(device, "device_id"), -1);
	if (!is_legacy(declared))
		array->readonly = flags & FLAG_READ_ONLY ? READONLY_YES : READONLY_NO;
	return 0;
}

static struct value *dlpack_version(struct arena *arena, const struct fact_interface *interface)
{
	const struct value *declared = interface->declared;

	if (!value_is(value_get(declared, "capsule"), VALUE_MAP))
		return value_null(arena);
	if (is_legacy(declared))
		return value_text(arena, "legacy");
	return value_textf(arena, "%" PRId64 ".%" PRId64,
		value_int_or(value_at(declared, "version[0]"), -1),
		value_int_or(value_at(declared, "version[1]"), -1));
}

/* Documents spell what the types of `details` cannot hold as text: an integer beyond 64 bits, a
 * pointer that cannot be read. */
static void restore(struct arena *arena, struct value *map, const char *key)
{
	const char *text = value_text_or(value_get(map, key), NULL);

	if (text && *text == '<')
		value_set(arena, map, key, value_opaque(arena, text, NULL));
	else if (text && *text && !text[strspn(text, "0123456789")])
		value_set(arena, map, key, value_wide_int(arena, text));
}

/* A copy of an item; null if the map lacks it. */
static struct value *copy_item(struct arena *arena, const struct value *map, const char *key)
{
	const struct value *item = value_get(map, key);

	return item ? value_copy(arena, item) : value_null(arena);
}

/* details.other_capsule: the result of the call that declared does not show. */
static struct fact_interface *dlpack_other(
	struct arena *arena, const struct fact_interface *interface)
{
	const struct value *fact = value_get(interface->details, "other_capsule");
	struct fact_interface *other;
	struct value *declared, *details, *tensor;
	struct err ignored;

	if (!value_is(value_get(fact, "declared"), VALUE_MAP))
		return NULL;
	declared = value_copy(arena, value_get(fact, "declared"));
	details = value_copy(arena, interface->details);
	value_set(arena, declared, "device", copy_item(arena, interface->declared, "device"));
	restore(arena, declared, "flags");
	restore(arena, declared, "dl_tensor");
	tensor = value_find(declared, "dl_tensor");
	if (value_is(tensor, VALUE_MAP)) {
		restore(arena, tensor, "shape");
		restore(arena, tensor, "strides");
		restore(arena, tensor, "byte_offset");
	}
	value_set(arena, details, "call", copy_item(arena, fact, "call"));
	value_set(arena, details, "other_capsule", value_null(arena));
	other = arena_alloc(arena, sizeof(*other));
	*other = (struct fact_interface){ .present = true,
		.protocol = PROTOCOL_DLPACK,
		.status = INTERFACE_OK,
		.declared = declared,
		.details = details,
		.memory_reason = value_text_or(value_get(fact, "memory_reason"), NULL) };
	if (fact_read(&fact_memory_record, arena, value_get(fact, "memory"), FACT_WIRE, NULL,
		    &other->memory, &ignored))
		other->memory.present = false;
	return other;
}

/* Reduces a tensor with too many dimensions to those whose extent is not 1, if all were read and
 * none is negative: at most 62 of them reach memory. */
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

/* A capsule with a destructor, and a struct that may omit strides. */
static struct value *dlpack_repair(struct arena *arena, const struct fact_interface *interface)
{
	const struct value *declared = interface->declared;
	struct value *repaired = value_map(arena), *capsule = value_map(arena);
	struct value *version = value_tuple(arena);

	value_append(arena, version, value_int(arena, 1));
	value_append(arena, version, value_int(arena, 1));
	value_set(arena, capsule, "name", value_text(arena, "dltensor"));
	value_set(arena, capsule, "destructor", value_bool(arena, true));
	value_set(arena, repaired, "capsule", capsule);
	value_set(arena, repaired, "version", is_legacy(declared) ? value_null(arena) : version);
	protocol_keep_item(arena, repaired, declared, "flags");
	protocol_keep_item(arena, repaired, declared, "dl_tensor");
	shorten(arena, value_find(repaired, "dl_tensor"));
	return repaired;
}

static bool dlpack_untype(struct arena *arena, struct value *declared, bool *has_size)
{
	struct value *tensor = value_find(declared, "dl_tensor");
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

static const struct struct_field dlpack_struct_fields[] = {
	{ .kind = STRUCT_VERSION, .path = "version", .is_optional = true },
	{ .kind = STRUCT_UINT64, .path = "flags", .is_optional = true },
	{ .kind = STRUCT_POINTER, .path = "manager_ctx", .is_optional = true },
	{ .kind = STRUCT_POINTER, .path = "deleter", .is_optional = true },
	{ .kind = STRUCT_POINTER, .path = "dl_tensor.data" },
	{ .kind = STRUCT_INT32, .path = "dl_tensor.device.device_type" },
	{ .kind = STRUCT_INT32, .path = "dl_tensor.device.device_id" },
	{ .kind = STRUCT_INT32, .path = "dl_tensor.ndim" },
	{ .kind = STRUCT_UINT8, .path = "dl_tensor.dtype.code" },
	{ .kind = STRUCT_UINT8, .path = "dl_tensor.dtype.bits" },
	{ .kind = STRUCT_UINT16, .path = "dl_tensor.dtype.lanes" },
	{ .kind = STRUCT_ENTRIES, .path = "dl_tensor.shape", .count = "dl_tensor.ndim" },
	{ .kind = STRUCT_ENTRIES, .path = "dl_tensor.strides", .count = "dl_tensor.ndim" },
	{ .kind = STRUCT_UINT64, .path = "dl_tensor.byte_offset" },
	{ .kind = STRUCT_END },
};

static const struct struct_fields dlpack_fields = {
	.gate = "dl_tensor",
	.fields = dlpack_struct_fields,
};

const struct protocol dlpack_protocol = {
	.name = PROTOCOL_DLPACK,
	.attribute = "__dlpack__",
	.title = "__dlpack__ and __dlpack_device__",
	.rule_prefix = "DLP",
	.edition_key = "dlpack",
	.editions = "0.8 1.0 1.1 1.2 1.3",
	.highest_version = 1,
	.trials =
		"rounds deleter thread exit outlive settled order copied stream odd-stream exchange",
	.details = &fact_dlpack_details_record,
	.fields = &dlpack_fields,
	.rank = 3,
	.counts_elements = true,
	.describe = dlpack_describe,
	.repair = dlpack_repair,
	.untype = dlpack_untype,
	.other = dlpack_other,
	.version = dlpack_version,
};
