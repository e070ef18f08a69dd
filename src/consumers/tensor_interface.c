// SPDX-License-Identifier: MIT
#include "consumers/tensor_interface.h"

static bool has_numpy_typestr(const struct dtype *dtype)
{
	struct err ignored;
	char text[DTYPE_TEXT_BYTES];

	return dtype->bits % 8 == 0 && dtype->lanes == 1 &&
	       !dtype_to_typestr(dtype, text, &ignored);
}

/* Booleans, integers, reals and complex numbers. */
static bool has_sycl_type(const struct dtype *dtype)
{
	return has_numpy_typestr(dtype) && dtype->kind != DTYPE_FLOAT8 &&
	       dtype->kind != DTYPE_BFLOAT;
}

static bool has_struct_format(const struct dtype *dtype)
{
	struct err ignored;
	char text[DTYPE_TEXT_BYTES];

	return has_numpy_typestr(dtype) && !dtype_to_pep3118(dtype, text, &ignored);
}

const struct tensor_interface tensor_interfaces[] = {
	{ .protocol = &dlpack_protocol,
		.shown = "__dlpack__",
		.read = "calls",
		.release = RELEASE_DELETER,
		.memory = MEMORY_HOST,
		.has_structs = true },
	{ .protocol = &numpy_protocol,
		.shown = "__array_interface__",
		.read = "reads",
		.release = RELEASE_OBJECT,
		.memory = MEMORY_HOST,
		.version = 3,
		.has_items = true,
		.has_byte_order = true,
		.has_type = has_numpy_typestr },
	{ .protocol = &numpy_struct_protocol,
		.shown = "__array_struct__",
		.read = "reads",
		.release = RELEASE_OBJECT,
		.memory = MEMORY_HOST,
		.has_byte_order = true,
		.has_type = has_struct_format },
	{ .protocol = &buffer_protocol,
		.shown = "the buffer",
		.read = "reads",
		.release = RELEASE_BUFFER,
		.memory = MEMORY_HOST,
		.has_byte_order = true,
		.has_type = has_struct_format },
	{ .protocol = &sycl_protocol,
		.shown = "__sycl_usm_array_interface__",
		.read = "reads",
		.release = RELEASE_OBJECT,
		.version = 1,
		.has_items = true,
		.has_offset = true,
		.memory = MEMORY_USM_SHARED,
		.has_type = has_sycl_type },
	{ .protocol = &cuda_protocol,
		.shown = "__cuda_array_interface__",
		.read = "reads",
		.release = RELEASE_OBJECT,
		.version = 3,
		.has_items = true,
		.has_byte_order = true,
		.memory = MEMORY_MANAGED,
		.has_type = has_numpy_typestr },
	{ 0 },
};

const struct tensor_interface *tensor_interface_of(const struct protocol *protocol)
{
	for (const struct tensor_interface *row = tensor_interfaces; row->protocol; row++)
		if (row->protocol == protocol)
			return row;
	return NULL;
}

const struct tensor_interface *tensor_interface_named(const char *protocol)
{
	return protocol ? tensor_interface_of(protocol_find(protocol)) : tensor_interfaces;
}

const char *tensor_interface_names(struct arena *arena)
{
	const char *names = "";

	for (const struct tensor_interface *row = tensor_interfaces; row->protocol; row++)
		names = arena_printf(
			arena, "%s%s%s", names, *names ? " " : "", row->protocol->name);
	return names;
}
