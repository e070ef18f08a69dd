// SPDX-License-Identifier: MIT
/* The driver's answers, and the memory records that result. */
#include "base/array_size.h"
#include "devices/cuda/cuda_pointer.h"

#include "base/test.h"
#include "devices/cuda/cuda_api.h"

#include "facts/facts.h"

#include <string.h>

static int context, pool;

#define REST(MAPPED, IPC)                                                                  \
	.mapped = ANSWER_##MAPPED, .readable = ANSWER_UNKNOWN, .writable = ANSWER_UNKNOWN, \
	.ipc_capable = ANSWER_##IPC
#define DEVICE .address = 0x1100, .type = CU_MEMORYTYPE_DEVICE, .device_pointer = 0x1100
#define HOST                                                                     \
	.address = 0x1100, .type = CU_MEMORYTYPE_HOST, .device_pointer = 0x1100, \
	.host_pointer = 0x1100
#define EXTENT .base = 0x1000, .size = 0x200

struct pointer_case {
	const char *name;
	struct cuda_pointer pointer;
	enum memory_kind kind;
	const char *origin;
	uint64_t base, size;
	enum answer host_accessible, managed, low_inside, high_inside;
	int64_t device_id;
};

/* The range is [0x1100, 0x1180) unless the name states another. */
static const struct pointer_case cases[] = {
	{ "unknown", { .address = 0x1100, .ordinal = -2, REST(UNKNOWN, UNKNOWN) }, MEMORY_UNKNOWN,
		NULL, 0, 0, ANSWER_UNKNOWN, ANSWER_UNKNOWN, ANSWER_UNKNOWN, ANSWER_UNKNOWN, -1 },
	{ "device", { DEVICE, EXTENT, REST(UNKNOWN, YES), .ordinal = 1, .context = &context },
		MEMORY_DEVICE, "cuMemAlloc", 0x1000, 0x200, ANSWER_NO, ANSWER_NO, ANSWER_YES,
		ANSWER_YES, 1 },
	{ "device without context", { DEVICE, EXTENT, REST(UNKNOWN, NO) }, MEMORY_DEVICE, NULL,
		0x1000, 0x200, ANSWER_NO, ANSWER_NO, ANSWER_YES, ANSWER_YES, 0 },
	{ "past the end", { DEVICE, REST(UNKNOWN, UNKNOWN), .base = 0x1000, .size = 0x17f },
		MEMORY_DEVICE, NULL, 0x1000, 0x17f, ANSWER_NO, ANSWER_NO, ANSWER_YES, ANSWER_NO,
		0 },
	{ "pool", { DEVICE, EXTENT, REST(UNKNOWN, UNKNOWN), .pool = &pool }, MEMORY_DEVICE,
		"cuMemAllocAsync", 0x1000, 0x200, ANSWER_NO, ANSWER_NO, ANSWER_YES, ANSWER_YES, 0 },
	{ "mapped, and not its reservation",
		{ DEVICE, EXTENT, REST(YES, UNKNOWN), .is_vmm = true, .range_base = 0x1000,
			.range_size = 0x9000 },
		MEMORY_DEVICE, "cuMemMap", 0x1000, 0x200, ANSWER_NO, ANSWER_NO, ANSWER_YES,
		ANSWER_YES, 0 },
	{ "mapped, of no known extent",
		{ DEVICE, REST(UNKNOWN, UNKNOWN), .is_vmm = true, .range_base = 0x1000,
			.range_size = 0x9000 },
		MEMORY_DEVICE, "cuMemMap", 0, 0, ANSWER_NO, ANSWER_NO, ANSWER_UNKNOWN,
		ANSWER_UNKNOWN, 0 },
	{ "reserved only", { DEVICE, REST(NO, UNKNOWN) }, MEMORY_UNKNOWN, NULL, 0, 0,
		ANSWER_UNKNOWN, ANSWER_UNKNOWN, ANSWER_UNKNOWN, ANSWER_UNKNOWN, -1 },
	{ "the range, if the driver has nothing better",
		{ DEVICE, REST(UNKNOWN, UNKNOWN), .range_base = 0x1100, .range_size = 0x80 },
		MEMORY_DEVICE, NULL, 0x1100, 0x80, ANSWER_NO, ANSWER_NO, ANSWER_YES, ANSWER_YES,
		0 },
	{ "an extent elsewhere", { DEVICE, REST(UNKNOWN, UNKNOWN), .base = 0x9000, .size = 0x200 },
		MEMORY_DEVICE, NULL, 0, 0, ANSWER_NO, ANSWER_NO, ANSWER_UNKNOWN, ANSWER_UNKNOWN,
		0 },
	{ "managed",
		{ DEVICE, EXTENT, REST(UNKNOWN, UNKNOWN), .managed = 1, .host_pointer = 0x1100 },
		MEMORY_MANAGED, "cuMemAllocManaged", 0x1000, 0x200, ANSWER_YES, ANSWER_YES,
		ANSWER_YES, ANSWER_YES, 0 },
	{ "managed, on the host now", { HOST, EXTENT, REST(UNKNOWN, UNKNOWN), .managed = 1 },
		MEMORY_MANAGED, "cuMemAllocManaged", 0x1000, 0x200, ANSWER_YES, ANSWER_YES,
		ANSWER_YES, ANSWER_YES, 0 },
	{ "pinned", { HOST, EXTENT, REST(UNKNOWN, UNKNOWN), .is_device_file = true }, MEMORY_PINNED,
		"cuMemHostAlloc", 0x1000, 0x200, ANSWER_YES, ANSWER_NO, ANSWER_YES, ANSWER_YES, 0 },
	{ "registered", { HOST, EXTENT, REST(UNKNOWN, UNKNOWN) }, MEMORY_REGISTERED,
		"cuMemHostRegister", 0x1000, 0x200, ANSWER_YES, ANSWER_NO, ANSWER_YES, ANSWER_YES,
		0 },
	{ "a host pool", { HOST, EXTENT, REST(UNKNOWN, UNKNOWN), .pool = &pool }, MEMORY_PINNED,
		"cuMemAllocAsync", 0x1000, 0x200, ANSWER_YES, ANSWER_NO, ANSWER_YES, ANSWER_YES,
		0 },
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int main(void)
{
	struct memory memory;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pointer_case *row = &cases[i];

		memory = (struct memory){ .asked_low = 0x1100, .asked_high = 0x1180 };
		cuda_pointer_to_memory(&row->pointer, &memory);
		CHECK(memory.kind == row->kind, "%s: %s", row->name, memory_kind_name(memory.kind));
		CHECK(same_text(memory.origin, row->origin), "%s: origin", row->name);
		CHECK(memory.base == row->base && memory.size == row->size, "%s: extent",
			row->name);
		CHECK(memory.host_accessible == row->host_accessible, "%s: host", row->name);
		CHECK(memory.managed == row->managed, "%s: managed", row->name);
		CHECK(memory.low_inside == row->low_inside &&
				memory.high_inside == row->high_inside,
			"%s: inside", row->name);
		CHECK(fact_int_or(memory.device_id, -1) == row->device_id, "%s: device", row->name);
		CHECK(!memory.context[0] == !row->pointer.context, "%s: context", row->name);
		CHECK(same_text(memory.how, row->size ? "exact" : NULL), "%s: how", row->name);
		CHECK(same_text(memory.by, "cuda"), "%s: by", row->name);
	}
	return test_end();
}
