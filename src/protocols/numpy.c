// SPDX-License-Identifier: MIT
/*
 * __array_interface__ version 3 (NumPy's document). Strides are in bytes. The data are an address,
 * a buffer whose address the worker reports in `details`, or the object's own buffer (no address).
 */
#include "model/runtimes.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

static int numpy_read_offset(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *offset = value_get(declared, "offset");
	int64_t n_bytes = 0;

	if (offset && !value_is_integer(offset))
		return protocol_refuse(offset, "offset", "an int", err);
	if (offset && !value_to_int64(offset, &n_bytes))
		return err_set(err, EXIT_FINDINGS,
			"offset places the first element outside the address space");
	return array->pointer ? protocol_move_pointer(array, n_bytes, "offset", err) : 0;
}

/* NumPy uses the truth value of data[1], which only the worker can determine for an opaque object.
 */
static int read_readonly(const struct value *declared, const struct value *details,
	struct array *array, struct err *err)
{
	const struct value *flag = value_at(declared, "data[1]");
	const struct value *truth = value_at(details, "data.readonly");
	bool is_true = false;

	if (!value_is_null(value_at(details, "data.readonly_error")))
		return err_set(err, EXIT_FINDINGS, "data[1] has no truth value");
	if (value_is(truth, VALUE_BOOL))
		is_true = truth->boolean;
	else if (value_is(flag, VALUE_BOOL))
		is_true = flag->boolean;
	else if (value_is_integer(flag))
		is_true = value_int_or(flag, 1) != 0;
	else if (value_is(flag, VALUE_TEXT))
		is_true = flag->n_bytes > 0;
	else if (!value_is_null(flag))
		return 0;
	array->readonly = is_true ? READONLY_YES : READONLY_NO;
	return 0;
}

static int read_address(const struct value *declared, const struct value *details,
	struct array *array, struct err *err)
{
	if (protocol_read_pointer(declared, array, err) ||
		read_readonly(declared, details, array, err))
		return -1;
	if (value_get(declared, "offset"))
		return err_set(err, EXIT_FINDINGS,
			"offset must be absent if data is an address and a flag");
	return 0;
}

static int numpy_read_data(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;
	const struct value *data = value_get(declared, "data");
	const struct value *buffer = value_get(interface->details, "buffer");
	const struct value *readonly = value_get(buffer, "readonly");

	if (value_is_sequence(data))
		return read_address(declared, interface->details, array, err);
	if (value_is(data, VALUE_NULL) && !value_is(buffer, VALUE_MAP))
		return err_set(
			err, EXIT_FINDINGS, "data is None but the object itself exports no buffer");
	if (data && !value_is(buffer, VALUE_MAP))
		return protocol_refuse(data, "data", "a 2-tuple, a buffer or None", err);
	value_to_address(value_get(buffer, "pointer"), &array->pointer);
	if (value_is(readonly, VALUE_BOOL))
		array->readonly = readonly->boolean ? READONLY_YES : READONLY_NO;
	return numpy_read_offset(declared, array, err);
}

static int numpy_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;

	protocol_start(array);
	if (!value_is(declared, VALUE_MAP))
		return protocol_refuse(declared, numpy_protocol.attribute, "a dict", err);
	if (protocol_check_version(declared, err) || protocol_read_shape(declared, array, err) ||
		protocol_read_typestr(declared, PROTOCOL_NUMPY_KINDS, &array->dtype, err) ||
		protocol_check_numpy_size(array, err) ||
		protocol_read_strides(declared, 1, 0, array, err) ||
		numpy_read_data(interface, array, err) ||
		protocol_check_mask(declared, numpy_protocol.attribute, err) ||
		protocol_check_mask_interface(declared, numpy_protocol.attribute, err) ||
		protocol_check_mask_shape(declared, err))
		return -1;
	array->device = (struct device){ DEVICE_CPU, 0 };
	return 0;
}

static struct value *numpy_repair(struct arena *arena, const struct fact_interface *interface)
{
	const struct value *declared = interface->declared;
	const struct value *data = value_get(declared, "data");
	struct value *repaired = protocol_repair_dictionary(arena, declared, 3);

	if (!value_is(value_get(interface->details, "buffer"), VALUE_MAP) ||
		value_is_sequence(data))
		return repaired;
	value_set(arena, repaired, "data", data ? value_copy(arena, data) : value_null(arena));
	if (value_is_integer(value_get(declared, "offset")))
		protocol_keep_item(arena, repaired, declared, "offset");
	return repaired;
}

static const char *const numpy_keys[] = { "shape", "typestr", "descr", "data", "strides", "mask",
	"offset", "version", NULL };

const struct protocol numpy_protocol = {
	.name = PROTOCOL_NUMPY,
	.attribute = "__array_interface__",
	.rule_prefix = "NAI",
	.edition_key = "numpy",
	.editions = "3",
	.lowest_version = 3,
	.highest_version = 3,
	.runtime = RUNTIME_HOST,
	.device_family = "host",
	.trials = "rounds owner",
	.details = &fact_numpy_details_record,
	.rank = 4,
	.is_dictionary = true,
	.keys = numpy_keys,
	.has_mask = true,
	.describe = numpy_describe,
	.repair = numpy_repair,
	.untype = protocol_untype_dictionary,
	.version = protocol_dictionary_version,
};
