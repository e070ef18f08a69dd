// SPDX-License-Identifier: MIT
/* Shape, strides, data and byte_offset of a DLTensor (dlpack.h 1.3). Strides are in elements. */
#include "rules/dlpack/dlpack.h"

#include "protocols/shared.h"

#include <inttypes.h>

static void dlp_check_dimensions(const struct subject *subject, struct report *report)
{
	const struct value *tensor = dlpack_tensor(subject, report);
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), -1);

	if (tensor && n_dims < 0)
		rule_fail(report, "dl_tensor.ndim", "ndim is %" PRId64 ", expected 0 or more",
			n_dims);
}

static bool is_null_field(const struct value *tensor, const char *key)
{
	return value_is_null(value_get(tensor, key));
}

static void dlp_check_shape_given(const struct subject *subject, struct report *report)
{
	const struct value *tensor = dlpack_tensor(subject, report);
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), 0);

	if (n_dims > 0 && is_null_field(tensor, "shape"))
		rule_fail(report, "dl_tensor.shape", "shape is NULL but ndim is %" PRId64, n_dims);
}

static void dlp_check_strides_given(const struct subject *subject, struct report *report)
{
	const struct value *tensor = dlpack_tensor(subject, report);
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), 0);

	if (n_dims > 0 && is_null_field(tensor, "strides"))
		rule_fail(report, "dl_tensor.strides", "strides is NULL but ndim is %" PRId64,
			n_dims);
}

/* Whether a DLTensor has a shape, all of which was read. */
static bool has_whole_shape(const struct value *tensor)
{
	const struct value *shape = value_get(tensor, "shape");
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), 0);

	return n_dims > 0 && value_is_sequence(shape) && shape->n_items == (uint64_t)n_dims;
}

/* Whether there are more entries than suai reads. */
static bool is_truncated(const struct value *tensor)
{
	return value_int_or(value_get(tensor, "ndim"), 0) >
	       value_int_or(value_at(tensor, "long_layout.limit"), INT64_MAX);
}

static void dlp_check_extents(const struct subject *subject, struct report *report)
{
	const struct value *layout = value_at(subject->declared, "dl_tensor.long_layout");
	const struct value *negative = value_get(layout, "negative");
	struct subject tensor;

	if (!dlpack_enter_tensor(subject, report, &tensor))
		return;
	if (has_whole_shape(tensor.declared))
		shared_check_extents(&tensor, report);
	else if (value_int_or(value_get(layout, "shape_readable"), 0) <
		 value_int_or(value_get(tensor.declared, "ndim"), 0))
		return; /* DLP105 and DLP302: memory after the shape belongs to something else */
	else if (!value_is_null(negative))
		rule_fail(report,
			arena_printf(
				subject->arena, "shape[%" PRId64 "]", value_int_or(negative, 0)),
			"shape[%" PRId64 "] is %" PRId64 ", expected 0 or more",
			value_int_or(negative, 0),
			value_int_or(value_get(layout, "negative_extent"), -1));
	else if (is_truncated(tensor.declared))
		rule_skip(report,
			"suai reads at most %" PRId64
			" entries of shape and strides, but ndim is %" PRId64,
			value_int_or(value_get(layout, "limit"), 0),
			value_int_or(value_get(tensor.declared, "ndim"), 0));
}

/* Whether two layouts of one shape have the same steps, if one unit of b is factor bytes. */
static bool has_same_steps(const struct array *a, const int64_t *b, int64_t factor)
{
	int64_t bytes;

	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] > 1 && (__builtin_mul_overflow(b[i], factor, &bytes) ||
					       bytes != a->stride_bytes[i]))
			return false;
	return true;
}

static bool has_shape_of(const struct array *a, const struct array *b)
{
	if (a->n_dims != b->n_dims)
		return false;
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] != b->shape[i])
			return false;
	return true;
}

/* What another interface of the object shows about the strides: that they are in elements, or
 * bytes; or nothing. */
enum unit { UNIT_UNKNOWN, UNIT_ELEMENTS, UNIT_BYTES };

static enum unit stride_unit_by(const struct array *array, const struct array *other)
{
	if (!has_shape_of(array, other))
		return UNIT_UNKNOWN;
	if (has_same_steps(array, other->stride_bytes, 1))
		return UNIT_ELEMENTS;
	return has_same_steps(array, other->stride_bytes, dtype_itemsize(&array->dtype))
		       ? UNIT_BYTES
		       : UNIT_UNKNOWN;
}

/* According to the first of the object's other interfaces that shows it; *by is its name. */
static enum unit stride_unit_by_others(
	const struct subject *subject, const struct array *array, const char **by)
{
	enum unit unit = UNIT_UNKNOWN;
	const struct array *other;
	size_t next = 0;

	while (unit == UNIT_UNKNOWN && (other = dlpack_next_other_interface(subject, &next, by)))
		unit = stride_unit_by(array, other);
	return unit;
}

/* Whether the strides are those of a compact array within the memory if they are in bytes, but
 * exceed the memory if they are in elements. */
static bool fits_as_bytes(const struct subject *subject, const struct array *array)
{
	const struct memory *memory = subject->memory;
	int64_t itemsize = dtype_itemsize(&array->dtype);
	struct array bytes = *array;
	uint64_t low, high;
	struct err ignored;

	if (!memory || !memory->size || itemsize < 2 ||
		(memory->asked_low >= memory->base &&
			memory->asked_high - memory->base <= memory->size))
		return false;
	for (int i = 0; i < array->n_dims; i++)
		bytes.stride_bytes[i] /= itemsize;
	return (array_is_c_contiguous(&bytes) || array_is_f_contiguous(&bytes)) &&
	       !array_extent(&bytes, &low, &high, &ignored) && low >= memory->base &&
	       high - memory->base <= memory->size;
}

bool dlpack_counts_bytes(const struct subject *subject)
{
	const struct array *array = subject->array;
	const char *by;
	enum unit unit;

	if (!array || !array->strides_given || array_elements(array) == 0)
		return false;
	unit = stride_unit_by_others(subject, array, &by);
	return unit == UNIT_BYTES || (unit == UNIT_UNKNOWN && fits_as_bytes(subject, array));
}

static void dlp_check_stride_unit(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	const char *by = "";
	enum unit unit;

	if (!array || !dlpack_counts_bytes(subject))
		return;
	unit = stride_unit_by_others(subject, array, &by);
	if (unit == UNIT_BYTES)
		rule_fail(report, "dl_tensor.strides",
			"strides are in bytes: they match those of the %s interface if they are interpreted as bytes, but not if they are interpreted as elements",
			by);
	else
		rule_fail(report, "dl_tensor.strides",
			"strides seem to be in bytes: the array is compact if they are interpreted as bytes, but exceeds the memory if they are interpreted as elements");
}

static void dlp_check_negative_strides(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	if (!array || array_elements(array) == 0)
		return;
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] < 0) {
			const struct value *dims =
				value_at(subject->declared, "dl_tensor.long_layout.dims");
			int64_t number = value_int_or(value_item(dims, (size_t)i), i);

			rule_fail(report,
				arena_printf(
					subject->arena, "dl_tensor.strides[%" PRId64 "]", number),
				"strides[%" PRId64 "] is %" PRId64 ", expected 0 or more", number,
				array->stride_bytes[i] / dtype_itemsize(&array->dtype));
			return;
		}
}

static void dlp_check_unit_strides(const struct subject *subject, struct report *report)
{
	struct subject tensor;

	if (dlpack_enter_tensor(subject, report, &tensor))
		shared_check_unit_strides(&tensor, report);
}

/* Checks the size of a tensor of more than 64 dimensions, by those that affect the layout. */
static bool dlp_check_long_size(
	const struct subject *tensor, struct report *report, int64_t itemsize)
{
	const struct value *layout = value_get(tensor->declared, "long_layout");
	const struct value *shape = value_get(layout, "shape");
	const struct value *strides = value_get(layout, "strides");
	__int128 n_bytes = itemsize, low = 0, high = 0;

	if (!value_is_null(value_get(layout, "negative")) || is_truncated(tensor->declared) ||
		value_bool_or(value_get(layout, "has_zero"), false))
		return true;
	for (size_t i = 0; value_is_sequence(shape) && i < shape->n_items; i++) {
		int64_t extent = value_int_or(shape->items[i], 1);
		__int128 step = (__int128)value_int_or(value_item(strides, i), 0) * itemsize;

		n_bytes *= extent;
		if (n_bytes > INT64_MAX) {
			rule_fail(report, "shape",
				"the size of the array in bytes exceeds a signed 64-bit integer");
			return false;
		}
		*(step > 0 ? &high : &low) += step * (extent - 1);
		if (low < INT64_MIN || high > INT64_MAX) {
			rule_fail(report,
				arena_printf(tensor->arena, "strides[%" PRId64 "]",
					value_int_or(value_item(value_get(layout, "dims"), i), 0)),
				"strides place elements outside the address space");
			return false;
		}
	}
	return true;
}

/* If the element type is invalid, an element has at least one byte. */
static void dlp_check_size(const struct subject *subject, struct report *report)
{
	uint64_t data = 0, byte_offset = 0, address;
	struct dtype type = { 0 };
	struct subject tensor;
	bool fits = true;

	if (!dlpack_enter_tensor(subject, report, &tensor))
		return;
	if (!dlpack_read_type(subject, &type))
		type = (struct dtype){ .bits = 8, .lanes = 1 };
	fits = has_whole_shape(tensor.declared)
		       ? shared_check_size(&tensor, report, dtype_itemsize(&type),
				 dtype_itemsize(&type), false)
		       : dlp_check_long_size(&tensor, report, dtype_itemsize(&type));
	value_to_address(value_get(tensor.declared, "data"), &data);
	value_to_uint64(value_get(tensor.declared, "byte_offset"), &byte_offset);
	if (__builtin_add_overflow(data, byte_offset, &address))
		rule_fail(report, "byte_offset",
			"data + byte_offset (0x%" PRIx64 " + %" PRIu64
			") exceeds the 64-bit address space",
			data, byte_offset);
	else if (fits)
		shared_check_address_space(&tensor, report, "data");
}

/* A legacy capsule cannot express read-only access, but the object may report it. */
static void dlp_check_overlap(const struct subject *subject, struct report *report)
{
	struct subject tensor;

	if (dlpack_enter_tensor(subject, report, &tensor) &&
		subject->target->own.readonly != ANSWER_YES)
		shared_check_overlap(&tensor, report);
}

static void dlp_check_scalar_pointers(const struct subject *subject, struct report *report)
{
	const struct value *tensor = dlpack_tensor(subject, report);

	if (!tensor || value_int_or(value_get(tensor, "ndim"), -1) != 0)
		return;
	if (is_null_field(tensor, "shape") || is_null_field(tensor, "strides"))
		rule_fail(report, "dl_tensor.ndim", "ndim is 0 and %s",
			!is_null_field(tensor, "shape")     ? "strides is NULL"
			: !is_null_field(tensor, "strides") ? "shape is NULL"
							    : "shape and strides are NULL");
}

static void dlp_check_dimension_count(const struct subject *subject, struct report *report)
{
	const struct value *tensor = dlpack_tensor(subject, report);
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), 0);

	if (n_dims > ARRAY_MAX_DIMS)
		rule_fail(report, "dl_tensor.ndim", "ndim is %" PRId64 ", expected at most %d",
			n_dims, ARRAY_MAX_DIMS);
}

/* NumPy multiplies the extents other than 0. */
static void dlp_check_empty_extents(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	struct err err;

	if (array && !array_elements(array) && protocol_check_numpy_size(array, &err))
		rule_fail(report, "dl_tensor.shape",
			"the tensor has no elements, but the product of its other extents and the size of an element exceeds a signed 64-bit integer");
}

enum { ALIGNMENT = 256 }; /* "always aligned to 256 bytes as in CUDA" */

/* Reads data of a tensor whose layout is known; false if it cannot be checked. */
static bool read_data_pointer(const struct subject *subject, struct report *report, uint64_t *data)
{
	const struct value *tensor = dlpack_tensor(subject, report);

	return tensor && shared_array(subject, report) &&
	       value_to_address(value_get(tensor, "data"), data);
}

static void dlp_check_empty(const struct subject *subject, struct report *report)
{
	uint64_t data;

	if (read_data_pointer(subject, report, &data) && data && !array_elements(subject->array))
		rule_fail(report, "dl_tensor.data",
			"data is 0x%" PRIx64 ", expected NULL because the tensor has no elements",
			data);
}

static void dlp_check_null(const struct subject *subject, struct report *report)
{
	struct subject tensor;
	uint64_t data;

	if (dlpack_enter_tensor(subject, report, &tensor) &&
		value_to_address(value_get(tensor.declared, "data"), &data) && !data)
		shared_fail_null(&tensor, report, "data", "NULL");
}

/* Whether data is a handle of the device instead of an address. */
static bool is_handle(const struct subject *subject)
{
	struct dlpack_device device;

	return dlpack_tensor_device(subject, &device) &&
	       (device.type == DLPACK_OPENCL || device.type == DLPACK_VULKAN ||
		       device.type == DLPACK_METAL || device.type == DLPACK_WEBGPU);
}

/* Only a producer that splits addresses can be required to split them there. */
static void dlp_check_base_alignment(const struct subject *subject, struct report *report)
{
	const struct value *offset = value_at(subject->declared, "dl_tensor.byte_offset");
	uint64_t data, offset_bytes;

	if (is_handle(subject) || !read_data_pointer(subject, report, &data) ||
		array_elements(subject->array) <= 0 || !value_to_uint64(offset, &offset_bytes) ||
		!offset_bytes || !(data % ALIGNMENT))
		return;
	rule_fail(report, "dl_tensor.data",
		"data is 0x%" PRIx64 ", expected a multiple of %d because byte_offset is %" PRIu64,
		data, ALIGNMENT, offset_bytes);
}

static void dlp_check_alignment(const struct subject *subject, struct report *report)
{
	const struct value *tensor = value_get(subject->declared, "dl_tensor");
	uint64_t data, byte_offset = 0;
	struct dtype dtype;

	if (is_handle(subject))
		return;
	value_to_uint64(value_get(tensor, "byte_offset"), &byte_offset);
	/* Type and address are known even if the layout is not. */
	if (!subject->array && dlpack_read_type(subject, &dtype) &&
		value_to_address(value_get(tensor, "data"), &data) &&
		!__builtin_add_overflow(data, byte_offset, &data) &&
		shared_declares_elements(value_get(tensor, "shape")))
		shared_check_aligned(report, "dl_tensor.data", &dtype, data, false);
	else
		shared_check_alignment(subject, report, "dl_tensor.data", false);
}

static void dlp_check_byte_offset(const struct subject *subject, struct report *report)
{
	uint64_t byte_offset, data;

	if (read_data_pointer(subject, report, &data) && array_elements(subject->array) > 0 &&
		value_to_uint64(
			value_at(subject->declared, "dl_tensor.byte_offset"), &byte_offset) &&
		byte_offset)
		rule_fail(report, "dl_tensor.byte_offset", "byte_offset is %" PRIu64 ", expected 0",
			byte_offset);
}

const struct rule dlpack_layout_rules[] = {
	{
		DLPACK_EACH("DLP301", "dimensions", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.ndim (\"Number of dimensions\")",
		.summary = "ndim is not negative",
		.why = "NumPy, JAX and PyArrow reject the tensor; tvm-ffi imports it as a scalar; a consumer that converts ndim to an unsigned type gets a huge number of dimensions",
		.fix = "set ndim to the number of dimensions, which is 0 for a scalar",
		.check = dlp_check_dimensions,
	},
	{
		DLPACK_EACH("DLP302", "shape-present", ERROR, MUST),
		.requires = { "DLP301" },
		.clause = CLAUSE_DLPACK_H
		"DLTensor.shape (\"When ndim == 0, shape can be set to NULL\")",
		.summary = "shape is not NULL if ndim is above 0",
		.why = "consumers such as NumPy and dpnp read ndim extents from shape without a check for NULL: the process crashes with a segmentation fault",
		.fix = "point shape to ndim signed 64-bit integers that live as long as the managed tensor",
		.check = dlp_check_shape_given,
	},
	{
		DLPACK_EACH("DLP303", "strides-present", ERROR, MUST),
		.since = "dlpack=1.2",
		.requires = { "DLP301" },
		.clause = CLAUSE_DLPACK_H "DLTensor.strides (\"can not be NULL if ndim != 0\")",
		.summary = "in version 1.2 and later, strides is not NULL if ndim is above 0",
		.why = "a consumer that reads ndim strides without a check for NULL, as dpnp 0.20 does for oneAPI memory, crashes with a segmentation fault",
		.fix = "write out the strides of the compact array, in elements, or set version to 1.1",
		.check = dlp_check_strides_given,
	},
	{
		DLPACK_EACH("DLP304", "strides-omitted", NOTE, HAZARD),
		.until = "dlpack=1.1",
		.requires = { "DLP301" },
		.subsumed_by = { "DLP303" },
		.clause = CLAUSE_DLPACK_H
		"DLTensor.strides (\"Before DLPack v1.2, strides can be NULL\")",
		.summary =
			"strides is not NULL if ndim is above 0, although versions before 1.2 permit NULL for compact arrays",
		.why = "dpnp 0.20, for oneAPI memory, and older releases of CuPy (cupy#2095) crash on NULL; older releases of PyTorch and DGL did not accept it (mxnet#13663)",
		.fix = "write out the strides of the compact array, in elements",
		.check = dlp_check_strides_given,
	},
	{
		DLPACK_EACH("DLP305", "shape-extents", ERROR, MUST),
		.requires = { "DLP302" },
		.clause = CLAUSE_DLPACK_H "DLTensor.shape (\"The shape of the tensor\")",
		.summary = "no extent in shape is negative",
		.why = "NumPy, JAX and PyArrow reject the tensor; in other consumers, sizes computed from a negative extent may be negative or overflow",
		.fix = "set each extent to the number of elements in its dimension, 0 or more",
		.check = dlp_check_extents,
	},
	{
		DLPACK_EACH("DLP306", "stride-unit", ERROR, MUST),
		.optional_facts = FACT_MEMORY,
		.clause = CLAUSE_DLPACK_H "DLTensor.strides (\"in number of elements, not bytes\")",
		.summary = "strides are in elements, not bytes",
		.why = "strides in bytes, as in NumPy, are too large by a factor of the element size: consumers read the wrong elements, or past the end of the memory",
		.fix = "divide each stride by the element size in bytes: stride // itemsize",
		.check = dlp_check_stride_unit,
	},
	{
		DLPACK_EACH("DLP308", "negative-strides", NOTE, HAZARD),
		.is_informative = true,
		.clause = CLAUSE_DLPACK_H "DLTensor.strides (a signed number)",
		.summary =
			"in a tensor with elements, no stride is negative in a dimension of extent 2 or more",
		.why = "a negative stride is legal, but PyTorch, JAX, PyArrow and TensorFlow reject such tensors, and some releases of PyTorch terminated the process (pytorch#188023)",
		.fix = "the library needs no fix; pass a copy, such as numpy.ascontiguousarray(a)",
		.check = dlp_check_negative_strides,
	},
	{
		DLPACK_EACH("DLP309", "extent-one-strides", NOTE, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H "DLTensor.strides",
		.summary =
			"a contiguous array with elements has the strides of a compact array in dimensions of extent 1, too",
		.why = "older releases of TensorFlow rejected arrays with other strides (tensorflow#61184); consumers that compare all strides with the compact ones treat the array as non-contiguous, and copy it",
		.fix = "set strides to those of a compact array of this shape",
		.check = dlp_check_unit_strides,
	},
	{
		DLPACK_EACH("DLP310", "size-overflow", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_DLPACK_H
			  "DLTensor.shape; DLTensor.strides; DLTensor.byte_offset",
		.summary =
			"the size in bytes fits in a signed 64-bit integer, and data + byte_offset and every element are within the address space",
		.why = "consumers that compute sizes and addresses without a check for overflow get a small size or a wrong address, and access unrelated memory",
		.fix = "correct shape, strides, data or byte_offset",
		.check = dlp_check_size,
	},
	{
		DLPACK_EACH("DLP311", "overlap", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H
			  "DLTensor.strides; DLPACK_FLAG_BITMASK_READ_ONLY",
		.summary = "no two indices of a writable array reach the same byte",
		.why = "threads that write through both indices race, and the result depends on the order of the writes",
		.fix = "export a copy, or in a versioned struct set DLPACK_FLAG_BITMASK_READ_ONLY",
		.check = dlp_check_overlap,
	},
	{
		DLPACK_EACH("DLP312", "scalar-pointers", NOTE, MAY),
		.is_informative = true,
		.requires = { "DLP301" },
		.clause = CLAUSE_DLPACK_H
		"DLTensor.shape; DLTensor.strides (\"When ndim == 0, strides can be set to NULL\")",
		.summary =
			"shape and strides are not NULL even if ndim is 0, although NULL is permitted",
		.why = "NULL is legal, but a consumer that dereferences the pointers without checking ndim crashes",
		.fix = "the library needs no fix; pointers to readable memory are safer",
		.check = dlp_check_scalar_pointers,
	},
	{
		DLPACK_EACH("DLP313", "dimension-count", ERROR, FACT),
		.clause = CLAUSE_DLPACK_H "DLTensor.ndim (without a limit); " CLAUSE_NUMPY_C
					  "NPY_MAXDIMS; " CLAUSE_BUFFER "Py_buffer.ndim",
		.summary = "ndim is at most 64",
		.why = "numpy.from_dlpack raises RuntimeError; JAX, PyArrow and tvm-ffi accept the tensor, but cannot pass it on to NumPy",
		.fix = "reshape to fewer dimensions: array.reshape(-1)",
		.check = dlp_check_dimension_count,
	},
	{
		DLPACK_EACH("DLP314", "empty-extents", WARNING, HAZARD),
		.clause = CLAUSE_DLPACK_H "DLTensor.shape (without a limit)",
		.summary =
			"the product of the extents of a tensor without elements, other than 0, and the size of an element fits in a signed 64-bit integer",
		.why = "numpy.from_dlpack raises ValueError (array is too big), and jax.numpy.from_dlpack raises RuntimeError for some of these shapes, such as (2**62, 0)",
		.fix = "export an empty tensor with smaller extents, such as (0,)",
		.check = dlp_check_empty_extents,
	},
	{
		DLPACK_EACH("DLP401", "empty-data", WARNING, SHOULD),
		.clause = CLAUSE_DLPACK_H
		"DLTensor.data (\"if the tensor is of size zero\"); " CLAUSE_DLPACK_PYTHON
		"Implementation",
		.summary = "data is NULL if the tensor has no elements",
		.why = "a consumer that treats every address other than NULL as valid may map or query memory that does not exist",
		.fix = "set data to NULL if an extent is 0",
		.check = dlp_check_empty,
	},
	{
		DLPACK_EACH("DLP402", "null-data", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.data (\"points to the allocated data\")",
		.summary = "data is not NULL if the tensor has elements",
		.why = "numpy.from_dlpack returns a new array with uninitialized elements or, if byte_offset is not 0, an array that crashes the process when it is read; a kernel that accesses the elements faults",
		.fix = "use the address of the memory, or raise BufferError if no memory is allocated yet",
		.check = dlp_check_null,
	},
	{
		DLPACK_EACH("DLP403", "data-alignment", NOTE, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.data (\"always aligned to 256 bytes\")",
		.summary =
			"data is a multiple of 256 if byte_offset is not 0; any address passes if byte_offset is 0, because major libraries do not align data to 256 bytes; handles and tensors without elements are exempt",
		.why = "a consumer that relies on this alignment may use instructions that fault on other addresses, and one that ignores byte_offset reads the wrong elements",
		.fix = "set data to the address of the first element and byte_offset to 0, or align data to 256 bytes",
		.check = dlp_check_base_alignment,
	},
	{
		DLPACK_EACH("DLP404", "alignment", WARNING, HAZARD),
		.requires = { "DLP402" },
		.clause = "derived from " CLAUSE_DLPACK_H
			  "DLTensor.data; DLTensor.byte_offset; DLDataType",
		.summary =
			"the address of the first element is a multiple of the element size; opaque elements, and data that is a handle, are exempt",
		.why = "JAX copies or rejects misaligned arrays, and vector instructions that require alignment fault on them",
		.fix = "align the memory, or export a copy",
		.check = dlp_check_alignment,
	},
	{
		DLPACK_EACH("DLP405", "byte-offset", NOTE, HAZARD),
		.clause = CLAUSE_DLPACK_H "DLTensor.byte_offset",
		.summary = "byte_offset is 0 if the tensor has elements",
		.why = "an offset is legal, but older releases of PyTorch (pytorch#168177) and cuda.core (cuda-python#2592) ignored it and read the wrong elements, and TensorFlow rejects it",
		.fix = "add byte_offset to data and set byte_offset to 0, unless data must be a handle or the address of the allocation",
		.check = dlp_check_byte_offset,
	},
	{ .id = NULL },
};
