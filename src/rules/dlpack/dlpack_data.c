// SPDX-License-Identifier: MIT
/* DLP401 to DLP405: data and byte_offset of a DLTensor as numbers (dlpack.h 1.3). */
#include "rules/dlpack/dlpack.h"

#include <inttypes.h>

enum { ALIGNMENT = 256 }; /* "always aligned to 256 bytes as in CUDA" */

/* data of a tensor whose layout is known; false where it cannot be judged. */
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
			"data is 0x%" PRIx64 ", and the tensor has no elements", data);
}

static void dlp_check_null(const struct subject *subject, struct report *report)
{
	struct subject tensor;

	if (dlpack_enter(subject, report, &tensor))
		shared_check_null(&tensor, report, "data");
}

/* Whether data is a handle of the device's own, no address. */
static bool is_handle(const struct subject *subject)
{
	struct dlpack_device device;

	return dlpack_tensor_device(subject, &device) &&
	       (device.type == DLPACK_OPENCL || device.type == DLPACK_VULKAN ||
		       device.type == DLPACK_METAL || device.type == DLPACK_WEBGPU);
}

/* Only a producer that splits addresses can be asked to split them there. */
static void dlp_check_base_alignment(const struct subject *subject, struct report *report)
{
	const struct value *offset = value_at(subject->declared, "dl_tensor.byte_offset");
	uint64_t data, offset_bytes;

	if (is_handle(subject) || !read_data_pointer(subject, report, &data) ||
		array_elements(subject->array) <= 0 || !value_to_uint64(offset, &offset_bytes) ||
		!offset_bytes || !(data % ALIGNMENT))
		return;
	rule_fail(report, "dl_tensor.data",
		"data is 0x%" PRIx64 ", %" PRIu64
		" bytes past a multiple of %d, and byte_offset is %" PRIu64,
		data, data % ALIGNMENT, ALIGNMENT, offset_bytes);
}

static void dlp_check_alignment(const struct subject *subject, struct report *report)
{
	const struct value *tensor = value_get(subject->declared, "dl_tensor");
	uint64_t data, byte_offset = 0;
	struct dtype dtype;

	if (is_handle(subject))
		return;
	value_to_uint64(value_get(tensor, "byte_offset"), &byte_offset);
	/* What has no layout has a type and an address all the same. */
	if (!subject->array && dlpack_read_type(subject, &dtype) &&
		value_to_address(value_get(tensor, "data"), &data) &&
		!__builtin_add_overflow(data, byte_offset, &data) &&
		shared_asks_for_elements(value_get(tensor, "shape")))
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
		rule_fail(report, "dl_tensor.byte_offset", "byte_offset is %" PRIu64, byte_offset);
}

const struct rule dlpack_data_rules[] = {
	{
		DLPACK_EACH("DLP401", "empty-data", WARNING, SHOULD),
		.clause = CLAUSE_DLPACK_H
		"DLTensor.data (\"if the tensor is of size zero\"); " CLAUSE_DLPACK_PYTHON
		"Implementation",
		.says = "data is NULL where the tensor has no elements",
		.why = "a consumer that takes any address for memory keeps, maps or looks up what is not there",
		.fix = "set data to NULL where an extent is 0",
		.check = dlp_check_empty,
	},
	{
		DLPACK_EACH("DLP402", "null-data", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.data (\"points to the allocated data\")",
		.says = "data is not NULL where the tensor has elements",
		.why = "consumers read at data: the process ends with a segmentation fault, a kernel faults",
		.fix = "give the address of the memory, or raise BufferError where there is none yet",
		.check = dlp_check_null,
	},
	{
		DLPACK_EACH("DLP403", "data-alignment", NOTE, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.data (\"always aligned to 256 bytes\")",
		.says = "where byte_offset is not 0, data is a multiple of 256 and byte_offset holds the rest; an address with a "
			"byte_offset of 0 passes, since no big library aligns it and dlpack.h advises not to rely on it",
		.why = "byte_offset is there for that rest alone: here it costs consumers that ignore it, and buys none the "
		       "alignment; nothing else goes wrong",
		.fix = "give the address of the first element in data and a byte_offset of 0",
		.check = dlp_check_base_alignment,
	},
	{
		DLPACK_EACH("DLP404", "alignment", WARNING, HAZARD),
		.needs = { "DLP402" },
		.clause = "derived from " CLAUSE_DLPACK_H
			  "DLTensor.data; DLTensor.byte_offset; DLDataType",
		.says = "the first element is aligned to the size of an element",
		.why = "JAX copies or refuses such arrays, vector instructions fault on them",
		.fix = "align the memory, or export a copy",
		.check = dlp_check_alignment,
	},
	{
		DLPACK_EACH("DLP405", "byte-offset", NOTE, HAZARD),
		.clause = CLAUSE_DLPACK_H "DLTensor.byte_offset",
		.says = "byte_offset is 0",
		.why = "it is legal, but PyTorch before 2026 (pytorch#170432) and StridedMemoryView (cuda-python#2576) ignored "
		       "it and read other elements; TensorFlow refuses it",
		.fix = "add it to data, where data need not be the address of the allocation",
		.check = dlp_check_byte_offset,
	},
	{ .id = NULL },
};
