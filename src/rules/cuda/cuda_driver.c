// SPDX-License-Identifier: MIT
/*
 * The memory of __cuda_array_interface__, the devices that can access it, and the stream, as
 * reported by the CUDA driver.
 */
#include "model/cuda_streams.h"
#include "rules/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

/* The memory as reported by the driver if the array has elements; otherwise NULL, which is a pass
 * or a skip. */
static const struct memory *driver_memory(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	if (!subject->memory->by || strcmp(subject->memory->by, cuda_protocol.runtime) != 0)
		rule_skip(report, "no CUDA driver was queried");
	else if (array && array_elements(array) > 0)
		return subject->memory;
	return NULL;
}

static bool is_of_cuda(const struct memory *memory)
{
	return memory->kind == MEMORY_DEVICE || memory->kind == MEMORY_MANAGED ||
	       memory->kind == MEMORY_PINNED || memory->kind == MEMORY_REGISTERED;
}

static void cai_check_extent(const struct subject *subject, struct report *report)
{
	if (driver_memory(subject, report))
		shared_check_extent(subject, report, 0);
}

static void cai_check_accessible(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_memory(subject, report);

	if (!memory || (is_of_cuda(memory) && memory->readable != ANSWER_NO))
		return;
	/* Pageable memory of the host, which the device can access. */
	if (memory->readable == ANSWER_YES &&
		value_bool_or(value_at(subject->details, "driver.pageable_access"), false))
		return;
	if (is_of_cuda(memory)) {
		rule_fail(report, "data[0]",
			"the memory at 0x%llx is %s memory, but its mapping is not readable",
			(unsigned long long)subject->array->pointer,
			memory_kind_name(memory->kind));
		return;
	}
	rule_fail(report, "data[0]", "the CUDA driver does not recognize the memory at 0x%llx%s%s",
		(unsigned long long)subject->array->pointer,
		memory->mapping[0] ? "; its mapping is " : "", memory->mapping);
}

static void cai_check_kind(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_memory(subject, report);

	if (memory && memory->kind != MEMORY_DEVICE)
		rule_fail(report, "data[0]", "the memory is %s memory, not device memory",
			is_of_cuda(memory) ? memory_kind_name(memory->kind) : "pageable host");
}

static void cai_check_writable(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_memory(subject, report);

	if (memory && memory->writable == ANSWER_NO && subject->array->readonly == READONLY_NO)
		rule_fail(report, "data[1]",
			"data[1] is False, but the mapping of the memory is read-only");
}

/* The number in the name of a CUDA device; -1 if the format is unknown. */
static int64_t device_number(const char *device)
{
	static const char *const forms[] = { "cuda:%d%n", "<CUDA Device %d>%n", "gpu:%d%n",
		"Place(gpu:%d)%n", NULL };
	int number, n_chars;

	for (size_t i = 0; forms[i]; i++) {
		n_chars = 0;
		if (sscanf(device, forms[i], &number, &n_chars) == 1 && n_chars &&
			!device[n_chars] && number >= 0)
			return number;
	}
	return -1;
}

static void cai_check_self_reported_device(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_memory(subject, report);
	const char *device = subject->target->own.device;
	int64_t number = device ? device_number(device) : -1;

	if (memory && memory->device_id.known && number >= 0 && number != memory->device_id.value)
		rule_fail(report, "data[0]",
			"the driver reports device %lld for the memory, but the object reports '%s'",
			(long long)memory->device_id.value, device);
}

static void cai_check_current_device(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_memory(subject, report);
	int64_t current = value_int_or(value_at(subject->details, "driver.current_device"), -1);
	const struct value *peer = value_at(subject->details, "driver.peer_access");

	if (!memory || memory->kind != MEMORY_DEVICE ||
		fact_int_or(memory->device_id, -1) == current)
		return;
	if (!memory->device_id.known || current < 0 || !value_is(peer, VALUE_BOOL))
		rule_skip(report,
			"the driver did not report whether the current device can access the memory");
	else if (!peer->boolean)
		rule_fail(report, "data[0]",
			"the memory is on device %lld and not accessible from the current device, %lld",
			(long long)memory->device_id.value, (long long)current);
}

/* Whether stream is a handle, not one of the default streams. */
static bool has_stream_handle(const struct subject *subject)
{
	uint64_t handle;

	return value_to_uint64(value_get(subject->declared, "stream"), &handle) &&
	       handle >= CUDA_STREAM_FIRST_HANDLE;
}

static void cai_check_stream_alive(const struct subject *subject, struct report *report)
{
	const struct value *valid = value_at(subject->details, "stream.valid");

	if (!has_stream_handle(subject))
		return;
	if (!value_is(valid, VALUE_BOOL))
		rule_skip(report, "the driver did not report whether the stream is valid");
	else if (!valid->boolean)
		rule_fail(report, "stream", "stream is %s, which is not a valid CUDA stream: %s",
			shared_show(subject->arena, value_get(subject->declared, "stream")),
			value_text_or(
				value_at(subject->details, "stream.error"), "unknown reason"));
}

static void cai_check_stream_device(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_memory(subject, report);
	int64_t device = value_int_or(value_at(subject->details, "stream.device"), -1);

	if (!memory || !has_stream_handle(subject) || memory->kind != MEMORY_DEVICE)
		return;
	if (device < 0 || !memory->device_id.known)
		rule_skip(report, "the driver did not report the device of the stream");
	else if (device != memory->device_id.value)
		rule_fail(report, "stream",
			"the stream belongs to device %lld, but the memory is on device %lld",
			(long long)device, (long long)memory->device_id.value);
}

const struct rule cuda_driver_rules[] = {
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_MEMORY, "CAI307", "extent", ERROR, MUST),
		.requires = { "CAI309", "CAI402" },
		.clause = CLAUSE_CUDA
		"strides; data; " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_RANGE_START_ADDR; CU_POINTER_ATTRIBUTE_RANGE_SIZE",
		.summary =
			"every element is in the allocation that, according to the driver, contains data[0]; adjacent mappings count as one allocation",
		.why = "a kernel that processes all elements reads or writes the memory of other arrays, or faults, which makes the CUDA "
		       "context unusable",
		.fix = "correct shape, strides or data[0]; with a negative stride, data[0] is the address of the element at index 0, not "
		       "the lowest address",
		.check = cai_check_extent,
	},
	{
		INTERFACE_RULE(
			PROTOCOL_CUDA, FACT_MEMORY, "CAI403", "device-accessible", ERROR, MUST),
		.requires = { "CAI402" },
		.replaces = "CAI406",
		.clause = CLAUSE_CUDA
		"data (\"The data must be device-accessible\"); " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_DEVICE_POINTER; CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS",
		.summary =
			"data[0] is in memory that a CUDA device can access: device, managed, pinned or registered memory with a readable mapping, or other host memory if the device can read it; arrays without elements are exempt",
		.why = "PyTorch and cuda.core raise an exception, or a kernel faults and makes the CUDA context unusable; the check also detects memory that was freed, unless a pool kept it or the address was reused",
		.fix = "use memory that CUDA allocated or registered and that lives as long as the object; make a mapping readable with cuMemSetAccess; raise AttributeError for host arrays",
		.check = cai_check_accessible,
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_MEMORY, "CAI404", "memory-kind", NOTE, HAZARD),
		.is_informative = true,
		.requires = { "CAI403" },
		.clause = CLAUSE_CUDA
		"Pointer Attributes; " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_MEMORY_TYPE; CU_POINTER_ATTRIBUTE_IS_MANAGED",
		.summary =
			"the memory is device memory, not managed, pinned, registered or pageable host memory",
		.why = "consumers assume device memory: other memory works, but each access may cross the bus or migrate pages",
		.fix = "no change is necessary; document the kind of memory",
		.check = cai_check_kind,
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_MEMORY, "CAI407", "writable", WARNING, HAZARD),
		.requires = { "CAI106", "CAI403" },
		.clause = CLAUSE_CUDA
		"data (\"The second element is the read-only flag\"); " CLAUSE_CUDA_H
		"cuMemGetAccess",
		.summary = "the memory is writable if the array is not read-only",
		.why = "a kernel that writes to a read-only mapping faults, which makes the CUDA context of the process unusable",
		.fix = "use data=(address, True), or make the mapping writable: CU_MEM_ACCESS_FLAGS_PROT_READWRITE on a device, PROT_WRITE on the host",
		.check = cai_check_writable,
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_MEMORY, "CAI501", "own-device", WARNING, HAZARD),
		.requires = { "CAI403" },
		.clause = CLAUSE_CUDA
		"Pointer Attributes (the interface declares no device); " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",
		.summary = "the memory is on the device that the object reports",
		.why = "consumers that query the driver and code that reads the device attribute of the object use different devices",
		.fix = "correct the device attribute, or allocate on that device",
		.check = cai_check_self_reported_device,
	},
	{
		INTERFACE_RULE(
			PROTOCOL_CUDA, FACT_MEMORY, "CAI502", "current-device", WARNING, HAZARD),
		.requires = { "CAI403" },
		.clause = CLAUSE_CUDA
		"data (\"may or may not be in the same context\"); " CLAUSE_CUDA_H
		"cuCtxEnablePeerAccess; cuMemPoolGetAccess; cuMemGetAccess",
		.summary =
			"the current device can access the memory: it is the device of the memory, or has access to that device, to the memory pool or to the mapping",
		.why = "Numba launches kernels on the current device without a check, and a kernel that accesses memory out of reach of its device faults; CuPy enables peer access or raises ValueError",
		.fix = "make the array's device current before passing the array to a consumer, or grant the current device access: cuCtxEnablePeerAccess, for a pool cuMemPoolSetAccess, for a mapping cuMemSetAccess",
		.check = cai_check_current_device,
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_MEMORY, "CAI603", "stream-alive", ERROR, MUST),
		.requires = { "CAI602" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream; Streams; " CLAUSE_CUDA_H "cuStreamQuery",
		.summary = "stream, if it is a handle, is that of an existing CUDA stream",
		.why = "CuPy, Numba and cuda.core use the handle immediately: if it is invalid, or its stream was destroyed, they raise an exception or crash",
		.fix = "use the handle of a stream that lives at least as long as the object, or stream=None once the pending work is complete",
		.check = cai_check_stream_alive,
	},
	{
		INTERFACE_RULE(
			PROTOCOL_CUDA, FACT_MEMORY, "CAI604", "stream-device", ERROR, HAZARD),
		.requires = { "CAI603" },
		.since = "cai=3",
		.clause = "derived from " CLAUSE_CUDA "stream; " CLAUSE_CUDA_H
			  "cuStreamGetDevice; CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",
		.summary = "stream, if it is a handle, belongs to the device of the memory",
		.why = "consumers that enqueue work on stream launch kernels on a device other than that of the memory",
		.fix = "use a stream of the array's device that waits for every stream with pending work",
		.check = cai_check_stream_device,
	},
	{ .id = NULL },
};
