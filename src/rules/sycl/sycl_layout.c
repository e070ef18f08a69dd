// SPDX-License-Identifier: MIT
/*
 * SUAI201 to SUAI404: element type, shape, strides and position of __sycl_usm_array_interface__
 * version 1. Strides and offset count elements.
 */
#include "rules/sycl/sycl.h"

/* What an array takes to be described. */
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

static void suai_check_null(const struct subject *subject, struct report *report)
{
	shared_check_null(subject, report, "data[0]");
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
			"typestr is a byte order (< > | =), a letter for the kind and the number of bytes",
		.why = "a consumer that cannot read it refuses the array, or takes the elements for something else",
		.fix = "write '<f4' for float32, '|b1' for bool; numpy.dtype(...).str has it",
		.check = shared_check_typestr,
	},
	{
		SYCL_RULE("SUAI202", "element-kind", ERROR, MUST),
		.requires = { "SUAI201" },
		.clause = CLAUSE_SYCL_PAGE "typestr (table of kinds)",
		.summary = "the kind in typestr is b, i, u, f or c",
		.why = "dpctl refuses every other kind: no kernel could compute with it",
		.fix = "export numbers or booleans; view other data as unsigned integers of the same size",
		.check = suai_check_kind,
	},
	{
		SYCL_RULE("SUAI203", "element-size", ERROR, MUST),
		.requires = { "SUAI202" },
		.clause = CLAUSE_SYCL_PAGE "typestr (table of kinds); " CLAUSE_SYCL
					   "Scalar data types",
		.summary =
			"the size in typestr fits its kind: b1; i and u 1, 2, 4, 8; f 2, 4, 8; c 8, 16",
		.why = "no SYCL type has another size (a long double has none): dpctl refuses the array",
		.fix = "convert the elements to a type of a device, or correct the number of bytes",
		.check = suai_check_size,
	},
	{
		SYCL_RULE("SUAI204", "byte-order", WARNING, FACT),
		.requires = { "SUAI203" },
		.clause = CLAUSE_SYCL_PAGE
		"typestr (silent on byte order, which dpnp 0.20 refuses if foreign)",
		.summary = "the byte order in typestr is this machine's",
		.why = "dpctl.memory takes such memory without a look, dpnp refuses it: results are wrong numbers or an "
		       "error, by consumer",
		.fix = "swap the bytes before the array is put on a device",
		.check = shared_check_native_order,
	},
	{
		SYCL_RULE("SUAI205", "byte-order-letter", WARNING, HAZARD),
		.requires = { "SUAI203" },
		.clause = CLAUSE_NUMPY "typestr",
		.summary =
			"typestr begins with '<' or '>', or with '|' for elements of one byte, and is not a name of numpy.dtype "
			"such as 'f4'",
		.why = "'|' says that byte order does not matter, '=' and names belong to numpy.dtype: dpctl reads them, and a reader "
		       "with a parser of its own does not",
		.fix = "write '<' on a little-endian machine, '>' on a big-endian one",
		.check = shared_check_order_letter,
	},
	{
		SYCL_RULE("SUAI301", "shape-extents", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "shape (\"dimensions of an N-dimensional array\")",
		.summary = "no extent in shape is negative",
		.why = "sizes computed from it come out negative or wrap to huge ones; dpctl refuses the array",
		.fix = "give the number of elements in each dimension, 0 or more",
		.check = shared_check_extents,
	},
	{
		SYCL_RULE("SUAI302", "strides-length", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "strides (\"in the corresponding dimensions\")",
		.summary = "strides has one entry for each dimension",
		.why = "consumers index strides by dimension: they refuse, or read past its end",
		.fix = "give len(shape) strides, or None for C order",
		.check = shared_check_stride_count,
	},
	{
		SYCL_RULE("SUAI304", "size-overflow", ERROR, LOGIC),
		.requires = { "SUAI002" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "shape; strides; offset",
		.summary =
			"the size in bytes fits in 64 bits, and shape, strides and offset stay in the address space",
		.why = "consumers multiply without a look: dpctl 0.22 takes shape (2**31, 2**31, 8) of doubles for an "
		       "array of 8 bytes",
		.fix = "correct shape, strides or offset: no memory is that large",
		.check = suai_check_overflow,
	},
	{
		SYCL_RULE("SUAI307", "strides-redundant", NOTE, HAZARD),
		.requires = { LAYOUT },
		.clause = CLAUSE_SYCL_PAGE
		"strides (\"None implies a C-style contiguous (row-major compact) layout\")",
		.summary = "strides is left out, or None, for a compact array in C order",
		.why = "both are legal, but consumers that only look for None take a slower path",
		.fix = "give strides: None where the array is compact in C order",
		.check = shared_check_redundant_strides,
	},
	{
		SYCL_RULE("SUAI308", "overlap", WARNING, HAZARD),
		.requires = { "SUAI108" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "strides; data",
		.summary = "no two indices reach the same element of an array that may be written",
		.why = "kernels that write through both indices race with each other, and the result depends on which "
		       "was last",
		.fix = "mark broadcast views read-only (data[1] True), or export a copy",
		.check = shared_check_overlap,
	},
	{
		SYCL_RULE("SUAI309", "unit-strides", NOTE, HAZARD),
		.requires = { LAYOUT },
		.clause = "derived from " CLAUSE_SYCL_PAGE "strides",
		.summary =
			"a contiguous array has the strides of a compact one in dimensions of extent 1 as well",
		.why = "consumers that compare all strides with the compact ones take the array for a strided one and copy",
		.fix = "give strides: None, or the strides of a compact array of this shape",
		.check = shared_check_unit_strides,
	},
	{
		SYCL_RULE("SUAI310", "dimension-count", ERROR, FACT),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "shape (names no limit); " CLAUSE_NUMPY_C
					   "NPY_MAXDIMS; " CLAUSE_BUFFER "Py_buffer.ndim",
		.summary = "shape has at most 64 entries",
		.why = "dpnp.asarray raises ValueError (maximum supported dimension for an ndarray), and NumPy has no array for a "
		       "copy on the host",
		.fix = "reshape to fewer dimensions before the array is exported",
		.check = shared_check_dimension_count,
	},
	{
		SYCL_RULE("SUAI401", "null-pointer", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "data (\"USM pointer value\")",
		.summary = "data[0] is not 0 for an array that has elements",
		.why = "no USM allocation is at 0: dpctl refuses the array, a kernel faults",
		.fix = "give the address of the allocation, or a shape with an extent of 0",
		.check = suai_check_null,
	},
	{
		SYCL_RULE("SUAI404", "alignment", WARNING, HAZARD),
		.requires = { "SUAI401" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "data; offset; typestr",
		.summary =
			"the first element is aligned to its size, a complex one to that of its real part",
		.why = "dpctl takes it without a look; on many devices a load from such an address faults or is slow",
		.fix = "point data[0] at the beginning of the allocation and count elements in offset",
		.check = suai_check_alignment,
	},
	{ .id = NULL },
};
