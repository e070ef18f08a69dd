// SPDX-License-Identifier: MIT
/*
 * The meaning of CUpointer_attribute values and related answers (CUDA driver API, Unified
 * Addressing).
 */
#include "devices/cuda/cuda_pointer.h"

#include "devices/cuda/cuda_api.h"

#include <inttypes.h>
#include <stdio.h>

static enum memory_kind cuda_pointer_kind_of(const struct cuda_pointer *pointer)
{
	if (pointer->managed)
		return MEMORY_MANAGED;
	if (pointer->type == CU_MEMORYTYPE_DEVICE)
		return MEMORY_DEVICE;
	if (pointer->type == CU_MEMORYTYPE_HOST)
		return pointer->is_vmm || pointer->pool || pointer->is_device_file
			       ? MEMORY_PINNED
			       : MEMORY_REGISTERED;
	return MEMORY_UNKNOWN;
}

static const char *origin_of(const struct cuda_pointer *pointer, enum memory_kind kind)
{
	if (pointer->pool)
		return "cuMemAllocAsync";
	if (pointer->is_vmm)
		return "cuMemMap";
	switch (kind) {
	case MEMORY_MANAGED:
		return "cuMemAllocManaged";
	case MEMORY_REGISTERED:
		return "cuMemHostRegister";
	case MEMORY_PINNED:
		return "cuMemHostAlloc";
	case MEMORY_DEVICE:
		return pointer->ipc_capable == ANSWER_YES ? "cuMemAlloc" : NULL;
	default:
		return NULL;
	}
}

static bool holds(uint64_t base, uint64_t size, uint64_t address)
{
	return address >= base && address - base < size;
}

static enum answer cuda_pointer_is_within(const struct memory *memory, uint64_t address)
{
	return holds(memory->base, memory->size, address) ? ANSWER_YES : ANSWER_NO;
}

static void set_extent(const struct cuda_pointer *pointer, struct memory *memory)
{
	if (holds(pointer->base, pointer->size, pointer->address)) {
		memory->base = pointer->base;
		memory->size = pointer->size;
	} else if (!pointer->is_vmm &&
		   holds(pointer->range_base, pointer->range_size, pointer->address)) {
		memory->base = pointer->range_base;
		memory->size = pointer->range_size;
	}
	if (!memory->size)
		return;
	memory->how = "exact";
	if (memory->asked_low >= memory->asked_high)
		return;
	memory->low_inside = cuda_pointer_is_within(memory, memory->asked_low);
	memory->high_inside = cuda_pointer_is_within(memory, memory->asked_high - 1);
}

void cuda_pointer_to_memory(const struct cuda_pointer *pointer, struct memory *memory)
{
	memory->by = "cuda";
	if (!pointer->type || pointer->mapped == ANSWER_NO)
		return;
	memory->kind = cuda_pointer_kind_of(pointer);
	memory->origin = origin_of(pointer, memory->kind);
	memory->device_pointer = pointer->device_pointer;
	memory->managed = pointer->managed ? ANSWER_YES : ANSWER_NO;
	memory->host_accessible =
		pointer->managed || pointer->host_pointer || pointer->type == CU_MEMORYTYPE_HOST
			? ANSWER_YES
			: ANSWER_NO;
	memory->readable = pointer->readable;
	memory->writable = pointer->writable;
	if (pointer->ordinal >= 0)
		memory->device_id = fact_int(pointer->ordinal);
	if (pointer->context)
		snprintf(memory->context, sizeof(memory->context), "0x%" PRIxPTR,
			(uintptr_t)pointer->context);
	set_extent(pointer, memory);
}
