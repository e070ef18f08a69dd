// SPDX-License-Identifier: MIT
/*
 * Where the data of a DLTensor is according to the kernel, the USM runtime or the CUDA driver, and
 * the device that the tensor names (dlpack.h 1.3); the deleter; and what flags declare about
 * copies and writing.
 */
#include "base/plural.h"
#include "rules/dlpack/dlpack.h"

#include <inttypes.h>
#include <string.h>

static bool memory_is_by(const struct subject *subject, const char *by)
{
	return subject->memory && subject->memory->by && !strcmp(subject->memory->by, by);
}

/* The lookup of packed elements counted one byte for each: corrects the extent, and clears what
 * was determined for the larger one. */
static bool unpack_memory(
	const struct subject *subject, struct report *report, struct memory *memory)
{
	const struct dtype *dtype = &subject->array->dtype;
	int64_t n_bits;

	*memory = *subject->memory;
	if (!memory->size || !array_is_c_contiguous(subject->array) ||
		__builtin_mul_overflow(dtype->bits, dtype->lanes, &n_bits) ||
		__builtin_mul_overflow(array_elements(subject->array), n_bits, &n_bits)) {
		rule_skip(report,
			"packed elements are checked only in C-contiguous arrays in memory of known size");
		return false;
	}
	memory->asked_high = memory->asked_low + (uint64_t)(n_bits / 8 + (n_bits % 8 != 0));
	memory->low_inside = memory->high_inside = ANSWER_UNKNOWN;
	memory->readable = memory->writable = ANSWER_UNKNOWN;
	return true;
}

static void dlp_check_extent(const struct subject *subject, struct report *report)
{
	const struct value *offset = value_at(subject->declared, "dl_tensor.byte_offset");
	int64_t offset_bytes = value_int_or(offset, 0);
	struct subject packed = *subject;
	struct memory memory;

	if (!shared_array(subject, report))
		return;
	packed.memory = &memory;
	rule_set_field_prefix(report, "dl_tensor");
	if (!dlpack_is_packed(subject))
		shared_check_extent(subject, report, offset_bytes);
	else if (unpack_memory(subject, report, &memory))
		shared_check_extent(&packed, report, offset_bytes);
}

/* Whether the USM runtime knows the address in the context that the object's SYCL interface
 * names. */
static bool is_usm_elsewhere(const struct subject *subject)
{
	const struct fact_interface *beside = shared_interface_of(subject, PROTOCOL_SYCL);
	uint64_t address;

	return beside->memory.present && beside->memory.kind != MEMORY_UNKNOWN &&
	       value_to_uint64(value_at(beside->declared, "data[0]"), &address) &&
	       address <= subject->array->pointer;
}

static void dlp_check_usm_kind(const struct subject *subject, struct report *report)
{
	const struct memory *memory = subject->memory;

	if (memory->kind == MEMORY_UNKNOWN && !is_usm_elsewhere(subject))
		rule_fail(report, "dl_tensor.data",
			"the device type is oneapi, but 0x%" PRIx64
			" is not USM of the default context of the device's platform (%s%s)",
			subject->array->pointer, memory->mapping[0] ? "mapping: " : "",
			memory->mapping[0] ? memory->mapping : "not mapped");
}

/* Pinned and managed memory is host memory too, and NumPy, which supports neither, declares
 * kDLCPU. */
static bool cuda_kind_fits(int64_t device_type, enum memory_kind kind)
{
	switch (device_type) {
	case DLPACK_CPU:
		return kind != MEMORY_DEVICE;
	case DLPACK_CUDA:
		return kind == MEMORY_DEVICE;
	case DLPACK_CUDA_HOST:
		return kind == MEMORY_PINNED || kind == MEMORY_REGISTERED;
	case DLPACK_CUDA_MANAGED:
		return kind == MEMORY_MANAGED;
	default:
		return true;
	}
}

static void dlp_check_kind(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	bool is_known = subject->memory && subject->memory->kind != MEMORY_UNKNOWN;
	struct dlpack_device device;

	if (!array || array_elements(array) == 0 || !array->pointer /* DLP402 */ ||
		!dlpack_tensor_device(subject, &device))
		return;
	if (shared_exceeds_by_address(array)) /* DLP310 */
		rule_skip(report, "some elements are outside the address space");
	else if (memory_is_by(subject, "usm"))
		dlp_check_usm_kind(subject, report);
	else if (memory_is_by(subject, cuda_protocol.runtime) &&
		 !cuda_kind_fits(device.type, subject->memory->kind))
		rule_fail(report, "dl_tensor.device.device_type",
			"the device type is %s, but %s 0x%" PRIx64 "%s%s", array->device.type,
			is_known ? "the memory at" : "the CUDA driver does not know the address",
			array->pointer, is_known ? " is of kind " : "",
			is_known ? memory_kind_name(subject->memory->kind) : "");
}

static void dlp_check_permission(const struct subject *subject, struct report *report)
{
	const struct value *flags = value_get(subject->declared, "flags");
	const struct value *offset = value_at(subject->declared, "dl_tensor.byte_offset");
	const char *pointer = value_int_or(offset, 0) ? "dl_tensor.byte_offset" : "dl_tensor.data";

	if (shared_array(subject, report) && memory_is_by(subject, "maps") &&
		!dlpack_is_packed(subject))
		shared_check_permission(
			subject, report, pointer, value_is_null(flags) ? pointer : "flags");
}

static bool requests_device(const struct subject *subject)
{
	const struct fact_call *call = dlpack_capsule_call(subject);

	return call && !value_is_null(value_get(call->arguments, "dl_device"));
}

static void dlp_check_same_device(const struct subject *subject, struct report *report)
{
	struct dlpack_device declared, device;

	if (!dlpack_declared_device(subject, &declared) || !dlpack_tensor_device(subject, &device))
		rule_skip(report,
			"the device of the tensor, or the one that __dlpack_device__() returns, is unknown");
	else if (requests_device(subject))
		rule_skip(report, "the call of __dlpack__ passed dl_device");
	else if (declared.type != device.type || declared.id != device.id)
		rule_fail(report, "dl_tensor.device",
			"the tensor declares the device (%" PRId64 ", %" PRId64
			"), but __dlpack_device__() returned (%" PRId64 ", %" PRId64 ")",
			device.type, device.id, declared.type, declared.id);
}

/* DLP501 reports a tensor whose device differs from that of the method. */
static void dlp_check_host_id(const struct subject *subject, struct report *report)
{
	struct dlpack_device declared, device;
	bool is_declared = dlpack_declared_device(subject, &declared);

	if (!dlpack_tensor_device(subject, &device)) {
		if (!is_declared)
			return;
		device = declared;
	} else if (is_declared && !requests_device(subject) &&
		   (declared.type != device.type || declared.id != device.id)) {
		return;
	}
	if (device_type_of_code(device.type)->is_host_accessible && device.id > 0)
		rule_fail(report, is_declared ? "device[1]" : "dl_tensor.device.device_id",
			"the device id is %" PRId64 " for the device type %s, expected 0",
			device.id, device_type_name(device.type));
}

static void dlp_check_cuda_id(const struct subject *subject, struct report *report)
{
	struct dlpack_device device;

	if (!dlpack_tensor_device(subject, &device) || device.type != DLPACK_CUDA ||
		!memory_is_by(subject, cuda_protocol.runtime) || !subject->memory->device_id.known)
		return;
	if (subject->memory->device_id.value != device.id)
		rule_fail(report, "dl_tensor.device.device_id",
			"the device id is %" PRId64 ", but the memory is on CUDA device %" PRId64,
			device.id, subject->memory->device_id.value);
}

static void fail_oneapi(const struct subject *subject, struct report *report, int64_t id)
{
	const struct memory *memory = subject->memory;
	const char *name = memory->device_name;

	if (memory->kind == MEMORY_UNKNOWN && is_usm_elsewhere(subject))
		rule_fail(report, "dl_tensor.device",
			"the memory is USM, but not of the default context of the platform of device %" PRId64,
			id);
	else if (memory->kind != MEMORY_UNKNOWN && !memory->device_id.known)
		rule_fail(report, "dl_tensor.device.device_id",
			"the device id is %" PRId64 ", but the memory is on a sub-device%s%s", id,
			*name ? ": " : "", name);
	else if (memory->kind != MEMORY_UNKNOWN && memory->device_id.value != id)
		rule_fail(report, "dl_tensor.device.device_id",
			"the device id is %" PRId64 ", but the memory is on device %" PRId64 "%s%s",
			id, memory->device_id.value, *name ? ", " : "", name);
}

static void dlp_check_oneapi_id(const struct subject *subject, struct report *report)
{
	int64_t n_devices = value_int_or(value_get(subject->details, "n_devices"), -1);
	struct dlpack_device device;

	if (!dlpack_tensor_device(subject, &device) || device.type != DLPACK_ONEAPI)
		return;
	if (n_devices >= 0 && device.id >= n_devices)
		rule_fail(report, "dl_tensor.device.device_id",
			"the device id is %" PRId64 ", but the SYCL runtime has %" PRId64
			" root device%s",
			device.id, n_devices, plural(n_devices));
	else if (!memory_is_by(subject, "usm"))
		rule_skip(report, "%s",
			fact_text_or(subject->interface->memory_reason,
				"the USM runtime was not queried"));
	else if (shared_array(subject, report) && array_elements(subject->array) > 0)
		fail_oneapi(subject, report, device.id);
}

static void dlp_check_deleter(const struct subject *subject, struct report *report)
{
	const struct value *deleter = value_get(subject->declared, "deleter");

	if (dlpack_tensor(subject, report) && !dlpack_is_set(deleter) &&
		!value_is(deleter, VALUE_OPAQUE))
		rule_fail(report, "deleter", "deleter is NULL");
}

/* Whether both arrays reach a common byte. */
static bool share_bytes(const struct array *a, const struct array *b)
{
	uint64_t a_low, a_high, b_low, b_high;
	struct err ignored;

	return !array_extent(a, &a_low, &a_high, &ignored) &&
	       !array_extent(b, &b_low, &b_high, &ignored) && a_low < b_high && b_low < a_high;
}

/* The call that returned another export that is alive and has its elements at the same address. */
static const char *find_same_export(const struct subject *subject)
{
	const struct fact_call *call;

	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++)
		if (call != dlpack_capsule_call(subject) && call->pointer.known &&
			call->pointer.value == subject->array->pointer)
			return call->step;
	return NULL;
}

static void dlp_check_copied(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report), *other;
	const char *by = NULL;
	size_t next = 0;

	if (!array || !(dlpack_flags(subject) & DLPACK_IS_COPIED) || array_elements(array) == 0)
		return;
	while ((other = dlpack_next_other_interface(subject, &next, &by)))
		if (share_bytes(array, other))
			break;
	if (!other)
		by = find_same_export(subject);
	if (by)
		rule_fail(report, "flags",
			"flags contains IS_COPIED, but the tensor, whose first element is at 0x%" PRIx64
			", shares memory with the %s%s%s",
			array->pointer, other ? "" : "export of ", by, other ? " interface" : "");
}

/* The access that the object itself reports, if it is checked: in a versioned struct that is not
 * a copy. */
static bool read_self_reported_flag(
	const struct subject *subject, struct report *report, bool *readonly)
{
	const enum answer own = subject->target->own.readonly;

	if (!dlpack_tensor(subject, report) || !dlpack_read_version(subject).is_versioned ||
		dlpack_flags(subject) & DLPACK_IS_COPIED)
		return false;
	if (own == ANSWER_UNKNOWN) {
		rule_skip(report, "the object does not report whether it is writable");
		return false;
	}
	*readonly = own == ANSWER_YES;
	return true;
}

static void dlp_check_readonly_kept(const struct subject *subject, struct report *report)
{
	bool readonly = false;

	if (read_self_reported_flag(subject, report, &readonly) && readonly &&
		!(dlpack_flags(subject) & DLPACK_READ_ONLY))
		rule_fail(report, "flags",
			"flags does not contain READ_ONLY, but the object reports that it is read-only");
}

static void dlp_check_writable_kept(const struct subject *subject, struct report *report)
{
	bool readonly = false;

	if (read_self_reported_flag(subject, report, &readonly) && !readonly &&
		dlpack_flags(subject) & DLPACK_READ_ONLY)
		rule_fail(report, "flags",
			"flags contains READ_ONLY, but the object reports that it is writable");
}

const struct rule dlpack_memory_rules[] = {
	{
		DLPACK_TRUTH("DLP307", "extent", ERROR, MUST),
		.requires = { "DLP306" },
		.clause = CLAUSE_DLPACK_H
		"DLTensor.data (\"points to the allocated data\"); DLTensor.shape; DLTensor.strides",
		.summary =
			"all elements are in one allocation, or in mappings without gaps between them",
		.why = "consumers rely on shape and strides: an access outside the memory crashes the process, makes a kernel fault, or reads or overwrites unrelated data",
		.fix = "correct shape, strides, byte_offset or data; strides are in elements",
		.check = dlp_check_extent,
	},
	{
		DLPACK_TRUTH("DLP406", "memory-kind", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLDeviceType",
		.summary =
			"the memory is of the kind that the device type declares: device memory for kDLCUDA, pinned for kDLCUDAHost, managed for kDLCUDAManaged, USM of the platform's default context for kDLOneAPI, and any kind but device memory for kDLCPU",
		.why = "consumers choose how to access the memory by the device type: a loop on the host crashes on device memory, a kernel may fault on pageable host memory, and dpnp rejects oneAPI memory that is not in the default context",
		.fix = "declare the device type of the memory; keep the memory allocated until the deleter is called; if the library does not know the kind, query the driver or the SYCL runtime; refuse USM of another context with BufferError",
		.check = dlp_check_kind,
	},
	{
		DLPACK_TRUTH("DLP407", "host-access", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_DLPACK_H
			  "kDLCPU; DLTensor.data; DLPACK_FLAG_BITMASK_READ_ONLY",
		.summary =
			"CPU memory is mapped and readable; that of a versioned tensor is also writable, unless flags contains READ_ONLY; packed elements of less than a byte are exempt",
		.why = "an access that the mapping does not permit crashes the process with a segmentation fault",
		.fix = "keep the memory mapped until the deleter is called; set DLPACK_FLAG_BITMASK_READ_ONLY if it is not writable",
		.check = dlp_check_permission,
	},
	{
		DLPACK_EACH("DLP501", "same-device", ERROR, MUST),
		.subsumed_by = { "DLP003" },
		.clause = CLAUSE_ARRAY_API
		"array.__dlpack_device__; array.__dlpack__ dl_device (\"on the same device as self is\")",
		.summary =
			"the tensor declares the device that __dlpack_device__() returns, unless dl_device requested one",
		.why = "torch.from_dlpack chooses the stream by the device that __dlpack_device__() returns, but uses the memory on the device that the tensor declares: its kernels may not wait for the producer's work, or access memory of another device",
		.fix = "declare the device of the memory in DLTensor.device, and return the same device from __dlpack_device__()",
		.check = dlp_check_same_device,
	},
	{
		DLPACK_EACH("DLP502", "host-device-id", ERROR, MUST),
		.requires = { "DLP003" },
		.clause = CLAUSE_DLPACK_H "DLDevice.device_id (\"this is set to 0\")",
		.summary = "the device id is 0 for CPU, pinned and managed memory",
		.why = "consumers that compare devices treat (1, 0) and (1, 1) as different devices, and copy or reject the array",
		.fix = "set the device id to 0",
		.check = dlp_check_host_id,
	},
	{
		DLPACK_TRUTH("DLP503", "cuda-device-id", ERROR, MUST),
		.requires = { "DLP406" },
		.clause = CLAUSE_DLPACK_PYTHON
		"Implementation (\"look up the actual device from the pointer\")",
		.summary =
			"the device id of a kDLCUDA tensor is that of the device that the driver reports for the address",
		.why = "consumers launch kernels on the declared device: the kernels fault, or access memory of another device over the interconnect",
		.fix = "set device_id to the device that cudaPointerGetAttributes reports for the address",
		.check = dlp_check_cuda_id,
	},
	{
		DLPACK_EACH("DLP504", "oneapi-device", ERROR, MUST),
		.optional_facts = FACT_MEMORY,
		.requires = { "DLP003" },
		.clause = CLAUSE_DLPACK_H "kDLOneAPI (\"non-partititioned\"); DLDevice.device_id",
		.summary =
			"the device id of oneAPI memory is the index of its root device in the SYCL runtime, and the memory is in the default context of that device's platform",
		.why = "a consumer has only this number to find the device, and uses the default context: if either is wrong, the import fails, or the consumer computes on another device",
		.fix = "use the index in dpctl.get_devices(), not the number that sycl-ls prints (dpctl#1397); refuse memory of other contexts and of sub-devices with BufferError",
		.check = dlp_check_oneapi_id,
	},
	{
		DLPACK_EACH("DLP707", "deleter", NOTE, MAY),
		.clause = CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter (\"It can be NULL\")",
		.summary = "the managed tensor has a deleter, although NULL is permitted",
		.why = "NULL is legal, but then consumers cannot release the memory, and a consumer that does not check for NULL crashes",
		.fix = "the library needs no fix if nothing must be freed; a function that does nothing is safer",
		.check = dlp_check_deleter,
	},
	{
		DLPACK_EACH("DLP805", "copied-flag", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_IS_COPIED (\"solely owned\")",
		.summary =
			"a tensor that shares memory with another interface of the object, or with another export, is not flagged as a copy",
		.why = "a consumer treats the memory as its own copy, and its writes change the producer's array",
		.fix = "set DLPACK_FLAG_BITMASK_IS_COPIED only on memory that was allocated for this export",
		.check = dlp_check_copied,
	},
	{
		DLPACK_EACH("DLP806", "readonly-flag", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_READ_ONLY; " CLAUSE_ARRAY_API
					  "array.__dlpack__ Notes",
		.summary =
			"a versioned tensor of a read-only array has the read-only flag, unless it is flagged as a copy",
		.why = "numpy.from_dlpack returns a writable array over memory that must not be written: a write changes the producer's data, or crashes the process with a segmentation fault",
		.fix = "set DLPACK_FLAG_BITMASK_READ_ONLY if the array must not be written",
		.check = dlp_check_readonly_kept,
	},
	{
		DLPACK_EACH("DLP813", "writable-flag", ERROR, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_READ_ONLY",
		.summary =
			"a versioned tensor of a writable array does not have the read-only flag, unless it is flagged as a copy",
		.why = "numpy.from_dlpack returns a read-only array, and code that writes to it fails; a round trip through NumPy loses write access",
		.fix = "set DLPACK_FLAG_BITMASK_READ_ONLY only if the array is read-only",
		.check = dlp_check_writable_kept,
	},
	{ .id = NULL },
};
