// SPDX-License-Identifier: MIT
/*
 * __sycl_usm_array_interface__ version 1 (dpctl's document). Strides and offset are in elements;
 * the device is the one to which the worker resolved syclobj.
 */
#include "base/array_size.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

/* Floating point types have 2 to 8 bytes, complex types 8 or 16. */
static int sycl_read_type(const struct value *declared, struct dtype *dtype, struct err *err)
{
	if (protocol_read_typestr(declared, "biufc", dtype, err))
		return -1;
	if ((dtype->kind == DTYPE_FLOAT && dtype->bits > 64) ||
		(dtype->kind == DTYPE_COMPLEX && dtype->bits != 64 && dtype->bits != 128))
		return err_set(err, EXIT_FINDINGS, "typestr is '%s', for which SYCL has no type",
			value_get(declared, "typestr")->bytes);
	return 0;
}

static int sycl_read_offset(
	const struct value *declared, int64_t itemsize, int64_t *offset_bytes, struct err *err)
{
	const struct value *offset = value_get(declared, "offset");
	int64_t n_elements = 0;

	if (offset && !value_is_integer(offset))
		return protocol_refuse(offset, "offset", "an int", err);
	if ((offset && !value_to_int64(offset, &n_elements)) ||
		__builtin_mul_overflow(n_elements, itemsize, offset_bytes))
		return err_set(err, EXIT_FINDINGS,
			"offset places the first element outside the address space");
	return 0;
}

static int sycl_describe_interface(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;
	const struct value *version = value_get(declared, "version");
	const struct value *syclobj = value_get(declared, "syclobj");
	const struct value *flag = value_at(declared, "data[1]");
	int64_t itemsize, offset_bytes = 0;

	protocol_start(array);
	if (!value_is(declared, VALUE_MAP))
		return protocol_refuse(declared, sycl_protocol.attribute, "a dict", err);
	if (!value_is_integer(version))
		return protocol_refuse(version, "version", "the int 1", err);
	if (value_int_or(version, 0) != 1)
		return protocol_refuse_integer(version, "version", "1", err);
	if (sycl_read_type(declared, &array->dtype, err) ||
		protocol_read_shape(declared, array, err) || protocol_check_size(array, err))
		return -1;
	itemsize = dtype_itemsize(&array->dtype);
	if (sycl_read_offset(declared, itemsize, &offset_bytes, err) ||
		protocol_read_strides(declared, itemsize, offset_bytes, array, err) ||
		protocol_read_pointer(declared, array, err) ||
		protocol_move_pointer(array, offset_bytes, "offset", err))
		return -1;
	if (value_is_null(syclobj))
		return protocol_refuse(syclobj, "syclobj",
			"a queue, a context, a capsule, an object with _get_capsule or a filter string",
			err);
	if (!value_is_null(value_at(interface->details, "data.readonly_error")))
		return err_set(err, EXIT_FINDINGS, "data[1] has no truth value");
	if (value_is(flag, VALUE_BOOL))
		array->readonly = flag->boolean ? READONLY_YES : READONLY_NO;
	array->device.type = DEVICE_ONEAPI;
	array->device.id =
		value_int_or(value_at(interface->details, "syclobj.device.position"), -1);
	return 0;
}

static struct value *sycl_repair(struct arena *arena, const struct fact_interface *interface)
{
	const struct value *declared = interface->declared;
	struct value *repaired = protocol_repair_dictionary(arena, declared, 1);

	if (value_is_integer(value_get(declared, "offset")))
		protocol_keep_item(arena, repaired, declared, "offset");
	value_set(arena, repaired, "syclobj", value_text(arena, "cpu"));
	return repaired;
}

/* SYCL has no raw bytes: uses a type of the same size. */
static bool sycl_untype(struct arena *arena, struct value *declared, bool *has_size)
{
	static const char *const types[] = {
		[1] = "|u1",
		[2] = "<u2",
		[4] = "<u4",
		[8] = "<u8",
		[16] = "<c16",
	};
	int64_t n_bytes = protocol_typestr_bytes(value_get(declared, "typestr"));

	*has_size = n_bytes >= 0;
	if (!*has_size)
		n_bytes = 1;
	if (n_bytes >= (int64_t)ARRAY_SIZE(types) || !types[n_bytes])
		return false;
	value_set(arena, declared, "typestr", value_text(arena, types[n_bytes]));
	return true;
}

static const char *const sycl_keys[] = { "shape", "typestr", "data", "strides", "offset", "syclobj",
	"version", NULL };

const struct protocol sycl_protocol = {
	.name = PROTOCOL_SYCL,
	.attribute = "__sycl_usm_array_interface__",
	.rule_prefix = "SUAI",
	.edition_key = "sycl",
	.editions = "1",
	.lowest_version = 1,
	.highest_version = 1,
	.runtime = "sycl",
	.device_family = "SYCL",
	.trials = "rounds owner settled",
	.details = &fact_sycl_details_record,
	.rank = 1,
	.is_dictionary = true,
	.keys = sycl_keys,
	.counts_elements = true,
	.describe = sycl_describe_interface,
	.repair = sycl_repair,
	.untype = sycl_untype,
	.version = protocol_dictionary_version,
};
