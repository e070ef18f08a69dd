// SPDX-License-Identifier: MIT
/*
 * Shape, strides and address of __cuda_array_interface__, versions 0 to 3. Strides are in bytes.
 * Rules on facts from the driver are in cuda_driver.c.
 */
#include "rules/cuda/cuda.h"

#include <string.h>

/* Whether strides, in bytes or in elements, are those of a compact array in C order. */
static bool are_compact(const struct array *array, const struct fact_ints *strides)
{
	struct array compact = *array;
	int64_t itemsize = dtype_itemsize(&array->dtype);
	bool as_bytes = true, as_elements = true;

	if (strides->n_items != (size_t)array->n_dims)
		return true;
	array_set_compact_strides(&compact, 'C');
	for (int i = 0; i < array->n_dims; i++) {
		if (array->shape[i] == 1)
			continue;
		as_bytes &= strides->items[i] == compact.stride_bytes[i];
		as_elements &= strides->items[i] == compact.stride_bytes[i] / itemsize;
	}
	return as_bytes || as_elements;
}

static void cai_check_strides_missing(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report), *other = NULL;
	const struct fact_ints *own = &subject->target->own.strides;

	if (!array || array->strides_given || array_elements(array) < 2 ||
		!dtype_itemsize(&array->dtype))
		return;
	if (own->known && !are_compact(array, own))
		rule_fail(report, "strides",
			"strides is absent or None, but according to the object's own strides the array is not C-contiguous");
	else if (!own->known)
		other = shared_array_of(subject, report, PROTOCOL_DLPACK);
	if (other && array_same_shape(array, other) && !array_is_c_contiguous(other))
		rule_fail(report, "strides",
			"strides is absent or None, but according to the strides of __dlpack__ the array is not C-contiguous");
}

static void cai_check_stride_multiple(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	int64_t itemsize = array ? dtype_itemsize(&array->dtype) : 0;

	for (int i = 0; itemsize > 0 && array_elements(array) > 0 && i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % itemsize)
			rule_fail(report, arena_printf(subject->arena, "strides[%d]", i),
				"strides[%d] is %lld, not a multiple of the element size, %lld bytes",
				i, (long long)array->stride_bytes[i], (long long)itemsize);
}

static void cai_check_stride_sign(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	for (int i = 0; array && array_elements(array) > 0 && i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] < 0)
			rule_fail(report, arena_printf(subject->arena, "strides[%d]", i),
				"strides[%d] is %lld, expected 0 or more", i,
				(long long)array->stride_bytes[i]);
}

static void cai_check_size(const struct subject *subject, struct report *report)
{
	struct dtype dtype;

	if (!shared_read_dtype(subject, &dtype))
		dtype = (struct dtype){ 0 };
	if (shared_check_size(subject, report, dtype_itemsize(&dtype), 1, false))
		shared_check_address_space(subject, report, "data[0]");
}

static void cai_check_empty(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");
	uint64_t address;

	if (shape && !shared_declares_elements(shape) &&
		value_to_address(value_at(subject->declared, "data[0]"), &address) && address)
		rule_fail(report, "data[0]",
			"data[0] is 0x%llx, expected 0 for an array without elements",
			(unsigned long long)address);
}

static void cai_check_alignment(const struct subject *subject, struct report *report)
{
	shared_check_alignment(subject, report, "data[0]", false);
}

const struct rule cuda_layout_rules[] = {
	{
		CUDA_RULE("CAI301", "shape-extents", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape (\"representing the size of each dimension\")",
		.summary = "no extent in shape is negative",
		.why = "PyTorch raises RuntimeError (negative dimension); a consumer without a check computes a wrong size",
		.fix = "use the number of elements in each dimension, 0 or more",
		.check = shared_check_extents,
	},
	{
		CUDA_RULE("CAI302", "strides-length", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "strides (\"to access the next element at each dimension\")",
		.summary = "strides, unless absent or None, has one entry for each dimension",
		.why = "CuPy raises ValueError, PyTorch TypeError and, unless strides is empty, Numba AssertionError; a consumer without a check reads past the end of the shorter tuple",
		.fix = "use a tuple of len(shape) strides in bytes, or strides=None for C order",
		.check = shared_check_stride_count,
	},
	{
		CUDA_RULE("CAI303", "strides-unit", WARNING, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "strides (\"the number of bytes to skip\")",
		.summary = SHARED_STRIDE_UNIT_SUMMARY,
		.why = "in DLPack, PyTorch and SYCL, strides are in elements; if they are exported unchanged, adjacent elements overlap",
		.fix = "multiply each stride by the element size: strides=tuple(stride * itemsize for stride in strides)",
		.check = shared_check_stride_unit,
	},
	{
		CUDA_RULE("CAI304", "strides-missing", ERROR, MUST),
		.optional_facts = FACT_STRUCT,
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "strides (\"C-contiguous layout\")",
		.summary = "strides is present and not None unless the array is C-contiguous",
		.why = "without strides, consumers interpret the array as C-contiguous and read the wrong elements without an error",
		.fix = "declare the strides in bytes, or export a compact copy",
		.check = cai_check_strides_missing,
	},
	{
		CUDA_RULE("CAI305", "strides-divisible", WARNING, HAZARD),
		.requires = { "CAI303" },
		.clause = CLAUSE_CUDA "strides (silent on this; in DLPack they are in elements)",
		.summary =
			"in dimensions of more than one element, each stride is a multiple of the element size",
		.why = "a field of a packed structure can have such strides; DLPack cannot express them, cuda.core and PyTorch reject them, and kernels may read from misaligned addresses",
		.fix = "correct strides; for a field of a packed structure, export the whole structured array or a compact copy of the field",
		.check = cai_check_stride_multiple,
	},
	{
		CUDA_RULE("CAI306", "strides-negative", NOTE, HAZARD),
		.is_informative = true,
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "strides (silent on the sign)",
		.summary = "no stride is negative in a dimension of more than one element",
		.why = "a negative stride is valid, but PyTorch rejects the array, Numba cannot copy it to the host, and CuPy assumes that the memory begins at data[0]",
		.fix = "the library needs no fix; pass a copy, such as cupy.ascontiguousarray(a)",
		.check = cai_check_stride_sign,
	},
	{
		CUDA_RULE("CAI308", "overlap", WARNING, HAZARD),
		.requires = { "CAI303" },
		.clause = "derived from " CLAUSE_CUDA "strides; data",
		.summary = "no two elements overlap in memory unless the array is read-only",
		.why = "threads that write to overlapping elements race, and the result depends on the order of the writes",
		.fix = "correct strides, export a copy, or mark a broadcast view read-only: data=(address, True), which PyTorch rejects",
		.check = shared_check_overlap,
	},
	{
		CUDA_RULE("CAI309", "size-overflow", ERROR, LOGIC),
		.requires = { "CAI002" },
		.clause = "derived from " CLAUSE_CUDA "shape; strides",
		.summary =
			"extents, strides, the size of the array in bytes and the offset of each element fit in a signed 64-bit integer; every element is in the address space, and together they span at most 2^57 bytes",
		.why = "a consumer that computes sizes and addresses without a check, such as CuPy, uses the overflowed values",
		.fix = "correct shape, strides or data[0]",
		.check = cai_check_size,
	},
	{
		CUDA_RULE("CAI310", "dimension-count", ERROR, FACT),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape (sets no limit); " CLAUSE_NUMPY_C "NPY_MAXDIMS",
		.summary = "shape has at most 64 entries",
		.why = "CuPy raises ValueError (maximum supported dimension for an ndarray), and NumPy cannot represent a host copy",
		.fix = "reshape the array to fewer dimensions before exporting it",
		.check = shared_check_dimension_count,
	},
	{
		CUDA_RULE("CAI401", "empty-pointer", WARNING, SHOULD),
		.requires = { "CAI002" },
		.since = "cai=2",
		.clause = CLAUSE_CUDA
		"data (\"For zero-size arrays\"); Differences with CUDA Array Interface Version 1",
		.summary = "data[0] is 0 if the array has no elements",
		.why = "cuda.core and PyTorch query the driver about any other address, and fail if it is not in an allocation",
		.fix = "use data=(0, readonly) if an extent is 0",
		.check = cai_check_empty,
	},
	{
		CUDA_RULE("CAI402", "null-pointer", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The data must be device-accessible\")",
		.summary = "data[0] is not 0 if the array has elements",
		.why = "CuPy usually raises RuntimeError (UnownedMemory requires explicit device ID for a null pointer), and a kernel that reads address 0 makes the CUDA context unusable",
		.fix = "use the address of the first element, or a shape with an extent of 0",
		.check = shared_check_null,
	},
	{
		CUDA_RULE("CAI405", "alignment", WARNING, HAZARD),
		.requires = { "CAI402" },
		.clause = "derived from " CLAUSE_CUDA "data; typestr; " CLAUSE_CUDA_H
			  "double2 (aligned to 16 bytes)",
		.summary =
			"the first element is aligned to its size (16 bytes for complex128); text, raw bytes and structures are exempt",
		.why = "a misaligned load in a kernel faults, and afterwards every call in the CUDA context fails",
		.fix = "align the array to a multiple of the element size, or export its bytes as u1",
		.check = cai_check_alignment,
	},
	{ .id = NULL },
};
