// SPDX-License-Identifier: MIT
/*
 * Element type, shape, strides and address of __sycl_usm_array_interface__ version 1. Strides and
 * offset are in elements.
 */
#include "rules/sycl/sycl.h"

/* The rules that must pass for an array to be described. */
#define LAYOUT "SUAI113", "SUAI114", "SUAI304"

static const struct typestr_kind kinds[] = {
	{ 'b', "1" },
	{ 'i', "1 2 4 8" },
	{ 'u', "1 2 4 8" },
	{ 'f', "2 4 8" },
	{ 'c', "8 16" },
	{ 0 },
};

static void suai_check_kind(const struct subject *subject, struct report *report)
{
	shared_check_kind(subject, report, kinds);
}

static void suai_check_size(const struct subject *subject, struct report *report)
{
	shared_check_kind_size(subject, report, kinds);
}

static void suai_check_overflow(const struct subject *subject, struct report *report)
{
	int64_t itemsize = shared_typestr(subject).size;

	if (shared_check_size(subject, report, itemsize, itemsize, true))
		shared_check_address_space(subject, report, "data[0]");
}

static void suai_check_alignment(const struct subject *subject, struct report *report)
{
	shared_check_alignment(subject, report, "data[0]", true);
}

const struct rule sycl_layout_rules[] = {
	{
		SYCL_RULE("SUAI201", "typestr-grammar", ERROR, MUST),
		.requires = { "SUAI105" },
		.clause = CLAUSE_SYCL_PAGE "typestr; " CLAUSE_NUMPY "typestr",
		.summary =
			"typestr consists of a byte order (< > | =), a letter for the kind and a size; SUAI205 covers common names of numpy.dtype, such as 'f4'",
		.why = "dpctl and dpnp raise ValueError for nearly all other strings; a consumer with its own parser may misinterpret the elements",
		.fix = "use numpy.dtype(...).str: '<f4' for float32, '|b1' for bool",
		.check = shared_check_typestr,
	},
	{
		SYCL_RULE("SUAI202", "element-kind", ERROR, MUST),
		.requires = { "SUAI201" },
		.clause = CLAUSE_SYCL_PAGE "typestr (table of kinds)",
		.summary = "the kind in typestr is b, i, u, f or c",
		.why = "dpnp rejects every other kind, because no SYCL scalar type corresponds to it; dpctl accepts only m in addition",
		.fix = "export numbers or booleans; view dates as integers, array.view('i8'), and other elements as bytes, array.view('u1')",
		.check = suai_check_kind,
	},
	{
		SYCL_RULE("SUAI203", "element-size", ERROR, MUST),
		.requires = { "SUAI202" },
		.clause = CLAUSE_SYCL_PAGE "typestr (table of kinds); " CLAUSE_SYCL
					   "Scalar data types",
		.summary =
			"the size in typestr is valid for its kind: b 1; i and u 1, 2, 4, 8; f 2, 4, 8; c 8, 16",
		.why = "dpnp rejects every other size, because no SYCL scalar type corresponds to it; dpctl accepts f16 and c32 (long double), which device code does not support",
		.fix = "convert the elements to a supported type, or correct the number of bytes",
		.check = suai_check_size,
	},
	{
		SYCL_RULE("SUAI204", "byte-order", WARNING, FACT),
		.requires = { "SUAI203" },
		.clause = CLAUSE_SYCL_PAGE
		"typestr (silent on byte order; dpnp 0.20 rejects a foreign one)",
		.summary = "the byte order in typestr is that of this machine",
		.why = "dpctl.memory accepts a foreign byte order without a check, and dpnp rejects it: depending on the consumer, the result is "
		       "wrong numbers or an error",
		.fix = "swap the bytes before the array is copied to a device: array.astype(array.dtype.newbyteorder('='))",
		.check = shared_check_native_order,
	},
	{
		SYCL_RULE("SUAI205", "byte-order-letter", WARNING, HAZARD),
		.requires = { "SUAI203" },
		.clause = CLAUSE_NUMPY "typestr",
		.summary =
			"typestr begins with '<' or '>', or with '|' for elements of one byte, and is not a name specific to "
			"numpy.dtype, such as 'f4'",
		.why = "'|' means that byte order does not apply, and '=' and names are specific to numpy.dtype: dpctl and dpnp accept all of them, but a consumer with its own parser may reject them",
		.fix = "use numpy.dtype(...).str, which is '<f4' for '|f4', '=f4' and 'float32' on a little-endian machine",
		.check = shared_check_order_letter,
	},
	{
		SYCL_RULE("SUAI301", "shape-extents", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "shape (\"dimensions of an N-dimensional array\")",
		.summary = "no extent in shape is negative",
		.why = "a size computed from a negative extent is wrong; dpctl rejects the array",
		.fix = "use the number of elements in each dimension, 0 or more",
		.check = shared_check_extents,
	},
	{
		SYCL_RULE("SUAI302", "strides-length", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "strides (\"in the corresponding dimensions\")",
		.summary = "strides has one entry for each dimension",
		.why = "dpctl rejects the array; a consumer that does not compare the lengths reads past the end of strides, or ignores entries",
		.fix = "use a tuple of len(shape) strides, or strides=None for C order",
		.check = shared_check_stride_count,
	},
	{
		SYCL_RULE("SUAI304", "size-overflow", ERROR, LOGIC),
		.requires = { "SUAI002" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "shape; strides; offset",
		.summary =
			"each extent, each stride, offset and the size in bytes fit in a signed 64-bit integer, and every element is within the address space",
		.why = "a consumer that does not check for overflow computes wrong sizes and addresses: dpctl 0.22 treats shape (2**31, 2**31, 8) of doubles as an array of 8 bytes",
		.fix = "correct shape, strides, offset or data[0]",
		.check = suai_check_overflow,
	},
	{
		SYCL_RULE("SUAI307", "strides-redundant", NOTE, HAZARD),
		.requires = { LAYOUT },
		.clause = CLAUSE_SYCL_PAGE
		"strides (\"None implies a C-style contiguous (row-major compact) layout\")",
		.summary =
			"strides is absent or None if an array with elements and at least one dimension is compact in C order",
		.why = "both are valid, but consumers that recognize C order only by None take a slower path",
		.fix = "use strides=None if the array is compact in C order",
		.check = shared_check_redundant_strides,
	},
	{
		SYCL_RULE("SUAI308", "overlap", WARNING, HAZARD),
		.requires = { "SUAI108" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "strides; data",
		.summary = "no two indices of a writable array reach the same byte",
		.why = "work-items that write to overlapping elements race, and the result depends on the order of the writes",
		.fix = "mark broadcast views read-only, data=(address, True), or export a copy",
		.check = shared_check_overlap,
	},
	{
		SYCL_RULE("SUAI309", "extent-one-strides", NOTE, HAZARD),
		.requires = { LAYOUT },
		.clause = "derived from " CLAUSE_SYCL_PAGE "strides",
		.summary =
			"a contiguous array with elements has the strides of a compact array in dimensions of extent 1, too",
		.why = "consumers that compare all strides with the compact ones treat the array as strided and copy it",
		.fix = "use strides=None for C order, or the strides of a compact array of this shape and order",
		.check = shared_check_unit_strides,
	},
	{
		SYCL_RULE("SUAI310", "dimension-count", ERROR, FACT),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "shape (sets no limit); " CLAUSE_NUMPY_C
					   "NPY_MAXDIMS; " CLAUSE_BUFFER "Py_buffer.ndim",
		.summary = "shape has at most 64 entries",
		.why = "dpnp.asarray raises ValueError (maximum supported dimension for an ndarray), and NumPy cannot represent a host copy",
		.fix = "reshape the array to fewer dimensions before exporting it",
		.check = shared_check_dimension_count,
	},
	{
		SYCL_RULE("SUAI401", "null-pointer", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "data (\"USM pointer value\")",
		.summary = "data[0] is not 0 if the array has elements",
		.why = "no USM allocation is at address 0: dpctl rejects the array, and a kernel that accesses it faults",
		.fix = "use the address of an allocation, for an array without elements as well: dpctl rejects 0 for every shape",
		.check = shared_check_null,
	},
	{
		SYCL_RULE("SUAI404", "alignment", WARNING, HAZARD),
		.requires = { "SUAI401" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "data; offset; typestr",
		.summary =
			"the first element is aligned to its size, a complex one to the size of its real part",
		.why = "dpctl does not check the alignment; depending on the device, a load from a misaligned address faults or is slow",
		.fix = "place the elements at multiples of their size, for example at the start of an allocation, or export a copy",
		.check = suai_check_alignment,
	},
	{ .id = NULL },
};
