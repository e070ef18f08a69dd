// SPDX-License-Identifier: MIT
/*
 * CAI307 to CAI604 as far as the CUDA driver knows the answer: where the memory of
 * __cuda_array_interface__ lies, who may reach it, and whether the stream is alive.
 */
#include "rules/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_HANDLE = 3 }; /* 1 and 2 are CU_STREAM_LEGACY and CU_STREAM_PER_THREAD */

/* The driver's answer about an array with elements; NULL, which is a pass or a skip. */
static const struct memory *driver_answer(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	if (!subject->memory->by || strcmp(subject->memory->by, "cuda") != 0)
		rule_skip(report, "no CUDA driver was asked");
	else if (array && array_elements(array) > 0)
		return subject->memory;
	return NULL;
}

/* Where the device reads what malloc gave, and the kernel says that there is such memory. */
static bool reads_host_memory(const struct subject *subject)
{
	return subject->memory->readable == ANSWER_YES &&
	       value_bool_or(value_at(subject->details, "driver.pageable_access"), false);
}

static bool is_of_cuda(const struct memory *memory)
{
	return memory->kind == MEMORY_DEVICE || memory->kind == MEMORY_MANAGED ||
	       memory->kind == MEMORY_PINNED || memory->kind == MEMORY_REGISTERED;
}

static void cai_check_extent(const struct subject *subject, struct report *report)
{
	if (driver_answer(subject, report))
		shared_check_extent(subject, report, 0);
}

static void cai_check_accessible(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_answer(subject, report);

	if (!memory || (is_of_cuda(memory) && memory->readable != ANSWER_NO) ||
		reads_host_memory(subject))
		return;
	if (is_of_cuda(memory)) {
		rule_fail(report, "data[0]",
			"the memory at 0x%llx is %s, and its mapping lets the device not read it",
			(unsigned long long)subject->array->pointer,
			memory_kind_name(memory->kind));
		return;
	}
	rule_fail(report, "data[0]", "the CUDA driver knows no memory at 0x%llx%s%s",
		(unsigned long long)subject->array->pointer,
		memory->mapping[0] ? "; to the kernel it is " : "", memory->mapping);
}

static void cai_check_kind(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_answer(subject, report);

	if (memory && memory->kind != MEMORY_DEVICE)
		rule_fail(report, "data[0]", "the memory is %s",
			is_of_cuda(memory) ? memory_kind_name(memory->kind)
					   : "pageable host memory, which this device reads");
}

static void cai_check_writable(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_answer(subject, report);

	if (memory && memory->writable == ANSWER_NO && subject->array->readonly == READONLY_NO)
		rule_fail(report, "data[1]",
			"data[1] is False, and the driver maps the memory read-only");
}

/* The number in the text of a CUDA device; -1 where its form is unknown. */
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
	const struct memory *memory = driver_answer(subject, report);
	const char *device = subject->target->own.device;
	int64_t number = device ? device_number(device) : -1;

	if (memory && memory->device_id >= 0 && number >= 0 && number != memory->device_id)
		rule_fail(report, "data[0]", "the memory is on device %lld, the object says '%s'",
			(long long)memory->device_id, device);
}

static void cai_check_current_device(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_answer(subject, report);
	int64_t current = value_int_or(value_at(subject->details, "driver.current_device"), -1);
	const struct value *peer = value_at(subject->details, "driver.peer_access");

	if (!memory || memory->kind != MEMORY_DEVICE || memory->device_id == current)
		return;
	if (memory->device_id < 0 || current < 0 || !value_is(peer, VALUE_BOOL))
		rule_skip(report, "the driver does not tell which devices reach each other");
	else if (!peer->boolean)
		rule_fail(report, "data[0]",
			"the memory is on device %lld, which the current device %lld does not reach",
			(long long)memory->device_id, (long long)current);
}

/* Whether there is a handle to ask the driver about. */
static bool has_stream_handle(const struct subject *subject)
{
	uint64_t handle;

	return value_to_uint64(value_get(subject->declared, "stream"), &handle) &&
	       handle >= FIRST_HANDLE;
}

static void cai_check_stream_alive(const struct subject *subject, struct report *report)
{
	const struct value *valid = value_at(subject->details, "stream.valid");

	if (!has_stream_handle(subject))
		return;
	if (!value_is(valid, VALUE_BOOL))
		rule_skip(report, "the driver was not asked about the stream");
	else if (!valid->boolean)
		rule_fail(report, "stream", "the driver knows no stream %s: %s",
			shared_show(subject->arena, value_get(subject->declared, "stream")),
			value_text_or(
				value_at(subject->details, "stream.error"), "it gives no reason"));
}

static void cai_check_stream_device(const struct subject *subject, struct report *report)
{
	const struct memory *memory = driver_answer(subject, report);
	int64_t device = value_int_or(value_at(subject->details, "stream.device"), -1);

	if (!memory || !has_stream_handle(subject) || memory->kind != MEMORY_DEVICE)
		return;
	if (device < 0 || memory->device_id < 0)
		rule_skip(report, "the driver does not tell the device of the stream");
	else if (device != memory->device_id)
		rule_fail(report, "stream", "the stream is of device %lld, the memory is on %lld",
			(long long)device, (long long)memory->device_id);
}

const struct rule cuda_driver_rules[] = {
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI307", "extent", ERROR, MUST),
		.requires = { "CAI309", "CAI402" },
		.clause = CLAUSE_CUDA
		"strides; data; " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_RANGE_START_ADDR; CU_POINTER_ATTRIBUTE_RANGE_SIZE",
		.summary = "every byte that an index reaches lies in the driver's allocation of "
			   "data[0], adjacent mappings counted as one",
		.why = "a kernel that goes over all elements reads or writes memory of other "
		       "arrays, or faults and ends the CUDA context",
		.fix = "correct shape, strides or data[0]: with negative strides data[0] is the "
		       "first element, not the lowest address",
		.check = cai_check_extent,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI403", "device-accessible", ERROR, MUST),
		.requires = { "CAI402" },
		.replaces = "CAI406",
		.clause = CLAUSE_CUDA
		"data (\"The data must be device-accessible\"); " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_DEVICE_POINTER; CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS",
		.summary =
			"data[0] is an address that the device reaches: device, managed, pinned or "
			"registered memory, or any host memory where the device reads it",
		.why = "consumers fail with an invalid value, or a kernel faults and ends the CUDA "
		       "context; freed memory is found in the same way",
		.fix = "give the address of memory that CUDA allocated or registered and that is "
		       "alive as long as the object; raise AttributeError for host arrays",
		.check = cai_check_accessible,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI404", "memory-kind", NOTE, HAZARD),
		.requires = { "CAI403" },
		.clause = CLAUSE_CUDA
		"Pointer Attributes; " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_MEMORY_TYPE; CU_POINTER_ATTRIBUTE_IS_MANAGED",
		.summary = "the memory is plain device memory",
		.why = "consumers take it for such: managed, pinned and pageable memory work, but "
		       "each access may cross the bus or move pages",
		.fix = "nothing is wrong; tell your users what kind of memory it is",
		.check = cai_check_kind,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI407", "writable", WARNING, HAZARD),
		.requires = { "CAI106", "CAI403" },
		.clause = CLAUSE_CUDA
		"data (\"The second element is the read-only flag\"); " CLAUSE_CUDA_H
		"cuMemGetAccess",
		.summary = "memory of an array that is not read-only may be written",
		.why = "a kernel that writes into a read-only mapping faults, and ends the CUDA "
		       "context of the whole process",
		.fix = "say True in data[1], or map the memory with "
		       "CU_MEM_ACCESS_FLAGS_PROT_READWRITE",
		.check = cai_check_writable,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI501", "own-device", WARNING, HAZARD),
		.requires = { "CAI403" },
		.clause = CLAUSE_CUDA
		"Pointer Attributes (the interface names no device); " CLAUSE_CUDA_H
		"CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",
		.summary = "the device of the pointer is the one that the object names",
		.why = "consumers that ask the driver and users who ask the object compute on "
		       "different devices",
		.fix = "correct the device attribute, or allocate under that device",
		.check = cai_check_self_reported_device,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI502", "current-device", WARNING, HAZARD),
		.requires = { "CAI403" },
		.clause = CLAUSE_CUDA
		"data (\"may or may not be in the same context\"); " CLAUSE_CUDA_H
		"cuCtxEnablePeerAccess; cuMemPoolGetAccess; cuMemGetAccess",
		.summary = "the current device reaches the memory: it is the pointer's own, or has "
			   "access to that one's memory, its pool or its mapping",
		.why = "consumers launch on the current device without a look, and their kernel "
		       "faults on memory that it cannot reach",
		.fix = "make the device of the array current before it is handed on, or enable "
		       "peer access; a pool or mapping wants cuMemPoolSetAccess or cuMemSetAccess",
		.check = cai_check_current_device,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI603", "stream-alive", ERROR, MUST),
		.requires = { "CAI602" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream; Streams; " CLAUSE_CUDA_H "cuStreamQuery",
		.summary = "stream is the handle of a stream that is alive",
		.why = "consumers wait on it at once: a handle that was destroyed fails there or "
		       "ends the process",
		.fix = "keep the stream alive as long as the object, or give None once its work is "
		       "complete",
		.check = cai_check_stream_alive,
	},
	{
		CUDA_RULE_OF(FACT_MEMORY, "CAI604", "stream-device", ERROR, HAZARD),
		.requires = { "CAI603" },
		.since = "cai=3",
		.clause = "derived from " CLAUSE_CUDA "stream; " CLAUSE_CUDA_H
			  "cuStreamGetDevice; CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",
		.summary = "stream is of the device that the memory is on",
		.why = "consumers that enqueue their work on it launch on another device than the "
		       "data's",
		.fix = "give a stream of the array's own device, which waits for the others",
		.check = cai_check_stream_device,
	},
	{ .id = NULL },
};
