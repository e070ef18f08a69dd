// SPDX-License-Identifier: MIT
/* .npy files as a protocol of files (NEP 1; numpy.lib.format): descr, fortran_order, shape, and the
 * data's length. */
#include "model/fields.h"
#include "protocols/protocol.h"

#include <stdio.h>
#include <string.h>

static int describe_layout(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *fortran = value_get(declared, "fortran_order");

	if (protocol_read_integers(value_get(declared, "shape"), "shape", array->shape,
		    ARRAY_MAX_DIMS, &array->n_dims, err))
		return -1;
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] < 0)
			return err_set(err, EXIT_FINDINGS, "shape[%d] is negative", i);
	if (!value_is(fortran, VALUE_BOOL))
		return err_set(err, EXIT_FINDINGS, "fortran_order is not True or False");
	array_set_compact_strides(array, fortran->boolean ? 'F' : 'C');
	return 0;
}

/* A typestr, or the fields of a structure, which is bytes of its size as in __array_interface__. */
static int describe_elements(const struct value *descr, struct dtype *dtype, struct err *err)
{
	int64_t n_bytes = fields_item_bytes(descr);
	char typestr[32];

	if (value_is(descr, VALUE_TEXT))
		return dtype_from_typestr(dtype, descr->bytes, err);
	if (!value_is(descr, VALUE_LIST) || n_bytes < 0)
		return err_set(err, EXIT_FINDINGS, "neither a typestr nor a list of fields");
	snprintf(typestr, sizeof(typestr), "|V%lld", (long long)n_bytes);
	return dtype_from_typestr(dtype, typestr, err);
}

static int describe(const struct value *interface, struct array *array, struct err *err)
{
	const struct value *declared = value_get(interface, "declared");
	const struct value *details = value_get(interface, "details");
	const struct value *descr = value_get(declared, "descr");
	int64_t n_bytes, data_offset = value_int_or(value_get(details, "data_offset"), 0);

	memset(array, 0, sizeof(*array));
	array->readonly = READONLY_UNKNOWN;
	array->device = (struct device){ NULL, -1 };
	if (describe_elements(descr, &array->dtype, err))
		return err_wrap(err, "descr");
	if (describe_layout(declared, array, err))
		return -1;
	n_bytes = array_nbytes(array);
	if (n_bytes < 0)
		return err_set(err, EXIT_FINDINGS, "shape: the size in bytes overflows");
	if (array->dtype.kind != DTYPE_OBJECT &&
		n_bytes > value_int_or(value_get(details, "file_bytes"), INT64_MAX) - data_offset)
		return err_set(err, EXIT_FINDINGS, "shape needs %lld bytes, the file holds fewer",
			(long long)n_bytes);
	return 0;
}

static struct value *version(struct arena *arena, const struct value *interface)
{
	const struct value *pair = value_at(interface, "details.version");

	if (!value_is(value_item(pair, 1), VALUE_INT))
		return NULL;
	return value_textf(arena, "%lld.%lld", (long long)value_int_or(value_item(pair, 0), 0),
		(long long)value_int_or(value_item(pair, 1), 0));
}

const struct protocol npy_protocol = {
	.name = "npy",
	.attribute = ".npy header",
	.rule_prefix = "NPY",
	.of_files = true,
	.describe = describe,
	.version = version,
};
