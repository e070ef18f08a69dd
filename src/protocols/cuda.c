// SPDX-License-Identifier: MIT
/*
 * __cuda_array_interface__ versions 0 to 3 (Numba's document). Strides are in bytes; the device is
 * not declared. Keys of later versions are not checked in earlier ones.
 */
#include "model/cuda_streams.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

/* PyObject pointers are meaningless on a device. */
#define KINDS "tbiufcmMSUV"

enum { SINCE_MASK = 1, SINCE_DICT = 2 };

static int cuda_check_stream(const struct value *declared, struct err *err)
{
	const struct value *stream = value_get(declared, "stream");

	if (value_is_null(stream) || value_is_integer(stream))
		return 0;
	return protocol_refuse(stream, "stream", "an int or None", err);
}

static int check_by_version(
	const struct value *declared, const struct value *details, struct err *err)
{
	int64_t version = value_int_or(value_get(declared, "version"), CUDA_INTERFACE_WITH_STREAM);

	if (version >= SINCE_DICT && value_bool_or(value_get(details, "mapping"), false))
		return err_set(err, EXIT_FINDINGS,
			"since version 2, __cuda_array_interface__ must be a dict, not another mapping");
	if (version >= SINCE_MASK &&
		(protocol_check_mask(declared, cuda_protocol.attribute, err) ||
			protocol_check_mask_interface(declared, cuda_protocol.attribute, err) ||
			protocol_check_mask_shape(declared, err)))
		return -1;
	return version >= CUDA_INTERFACE_WITH_STREAM ? cuda_check_stream(declared, err) : 0;
}

static int cuda_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;

	protocol_start(array);
	if (!value_is(declared, VALUE_MAP))
		return protocol_refuse(declared, cuda_protocol.attribute, "a dict", err);
	if (protocol_check_version(declared, err) || protocol_read_shape(declared, array, err) ||
		protocol_read_typestr(declared, KINDS, &array->dtype, err) ||
		protocol_check_size(array, err) ||
		protocol_read_strides(declared, 1, 0, array, err) ||
		protocol_read_pointer(declared, array, err) ||
		protocol_read_readonly(declared, array, err) ||
		check_by_version(declared, interface->details, err))
		return -1;
	array->device.type = DEVICE_CUDA;
	return 0;
}

static struct value *cuda_repair(struct arena *arena, const struct fact_interface *interface)
{
	return protocol_repair_dictionary(arena, interface->declared, CUDA_INTERFACE_WITH_STREAM);
}

static const char *const cuda_keys[] = { "shape", "typestr", "data", "version", "strides", "descr",
	"mask", "stream", NULL };

const struct protocol cuda_protocol = {
	.name = PROTOCOL_CUDA,
	.attribute = "__cuda_array_interface__",
	.rule_prefix = "CAI",
	.edition_key = "cai",
	.editions = "0 1 2 3",
	.highest_version = 3,
	.runtime = "cuda",
	.device_family = "CUDA",
	.trials = "rounds held-stream settled order",
	.details = &fact_cuda_details_record,
	.rank = 2,
	.is_dictionary = true,
	.keys = cuda_keys,
	.has_mask = true,
	.describe = cuda_describe,
	.repair = cuda_repair,
	.untype = protocol_untype_dictionary,
	.version = protocol_dictionary_version,
};
