// SPDX-License-Identifier: MIT
/*
 * What the CUDA driver reports about an address: cuPointerGetAttributes for the original
 * attributes, a separate call for each newer one, since one unsupported attribute fails the whole
 * query; then the exact extent.
 */
#include "base/array_size.h"
#include "devices/cuda/cuda_session.h"
#include "os/maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first query requires no context; an unknown address is success with zeros. */
static int query_first(const struct cuda_api *api, struct cuda_pointer *pointer, uint64_t *ordinal,
	struct err *err)
{
	int attributes[] = { CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
		CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_POINTER };
	void *values[] = { &pointer->context, &pointer->type, &pointer->managed, ordinal,
		&pointer->host_pointer, &pointer->device_pointer };
	int result = api->cuPointerGetAttributes(
		ARRAY_SIZE(attributes), attributes, values, pointer->address);

	if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_CONTEXT) {
		*pointer = (struct cuda_pointer){ .address = pointer->address, .ordinal = -1 };
		return 0;
	}
	return cuda_check(api, "cuPointerGetAttributes", result, err);
}

/* value is zeroed; it stays zero if the driver lacks the attribute. */
static bool query_one(
	const struct cuda_api *api, const struct cuda_pointer *pointer, int attribute, void *value)
{
	return api->cuPointerGetAttribute(value, attribute, pointer->address) == CUDA_SUCCESS;
}

static enum answer query_flag(
	const struct cuda_api *api, const struct cuda_pointer *pointer, int attribute)
{
	uint64_t flag = 0;

	if (!query_one(api, pointer, attribute, &flag))
		return ANSWER_UNKNOWN;
	return (flag & 0xff) ? ANSWER_YES : ANSWER_NO;
}

/* Memory that is mapped to the device page by page, and its access rights. */
static void cuda_locate_query_mapping(const struct cuda_api *api, struct cuda_pointer *pointer)
{
	struct cuda_location location = { CU_MEM_LOCATION_TYPE_DEVICE, pointer->ordinal };
	unsigned long long handle, flags = 0;

	if (!api->cuMemRetainAllocationHandle || !api->cuMemRelease || !api->cuMemGetAccess ||
		api->cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)pointer->address) !=
			CUDA_SUCCESS)
		return;
	(void)api->cuMemRelease(handle);
	pointer->is_vmm = true;
	if (api->cuMemGetAccess(&flags, &location, pointer->address) != CUDA_SUCCESS)
		return;
	pointer->readable = (flags & 1) ? ANSWER_YES : ANSWER_NO;
	pointer->writable = (flags & 2) ? ANSWER_YES : ANSWER_NO;
}

static void query_rest(const struct cuda_api *api, struct cuda_pointer *pointer)
{
	pointer->mapped = query_flag(api, pointer, CU_POINTER_ATTRIBUTE_MAPPED);
	pointer->ipc_capable =
		query_flag(api, pointer, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);
	(void)query_one(api, pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, &pointer->pool);
	(void)query_one(api, pointer, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, &pointer->range_base);
	(void)query_one(api, pointer, CU_POINTER_ATTRIBUTE_RANGE_SIZE, &pointer->range_size);
	if (!pointer->pool && !pointer->managed)
		cuda_locate_query_mapping(api, pointer);
}

int cuda_pointer_query(
	const struct cuda_api *api, uint64_t address, struct cuda_pointer *pointer, struct err *err)
{
	uint64_t ordinal = 0;

	*pointer = (struct cuda_pointer){ .address = address,
		.mapped = ANSWER_UNKNOWN,
		.readable = ANSWER_UNKNOWN,
		.writable = ANSWER_UNKNOWN,
		.ipc_capable = ANSWER_UNKNOWN };
	if (query_first(api, pointer, &ordinal, err))
		return -1;
	if (!pointer->type)
		return 0;
	pointer->ordinal = (int)(int32_t)(uint32_t)ordinal;
	query_rest(api, pointer);
	return 0;
}

/* The extent of the allocation, or of the single mapping of cuMemMap, that contains address. */
static bool find_range(const struct cuda_api *api, uint64_t address, uint64_t *base, uint64_t *size)
{
	size_t n_bytes = 0;

	if (api->cuMemGetAddressRange(base, &n_bytes, address) != CUDA_SUCCESS || address < *base ||
		address - *base >= n_bytes)
		return false;
	*size = n_bytes;
	return true;
}

static bool cuda_locate_is_alike(
	const struct cuda_api *api, const struct cuda_pointer *pointer, uint64_t address)
{
	struct cuda_pointer other;
	struct err ignored;

	return !cuda_pointer_query(api, address, &other, &ignored) && other.is_vmm &&
	       other.type == pointer->type && other.ordinal == pointer->ordinal &&
	       other.readable == pointer->readable && other.writable == pointer->writable;
}

/* Joins adjacent mappings of cuMemMap within the requested range. */
static void join_mappings(
	const struct cuda_api *api, const struct memory *memory, struct cuda_pointer *pointer)
{
	uint64_t base, size;

	while (pointer->base > memory->asked_low &&
		cuda_locate_is_alike(api, pointer, pointer->base - 1) &&
		find_range(api, pointer->base - 1, &base, &size)) {
		pointer->size += pointer->base - base;
		pointer->base = base;
	}
	while (pointer->base + pointer->size < memory->asked_high &&
		cuda_locate_is_alike(api, pointer, pointer->base + pointer->size) &&
		find_range(api, pointer->base + pointer->size, &base, &size))
		pointer->size += size;
}

/* For memory shared with the host, the kind of mapping according to the kernel. */
static void query_maps(struct cuda_pointer *pointer, struct memory *memory)
{
	struct memory host;
	struct maps maps;
	struct err ignored;

	if (!maps_read_near(&maps, memory->asked_low, memory->asked_high, &ignored)) {
		maps_locate(&maps, memory->asked_low, memory->asked_high, &host);
		memcpy(memory->mapping, host.mapping, sizeof(memory->mapping));
		pointer->is_device_file = !strncmp(host.mapping, "/dev/", 5);
		if (pointer->type != CU_MEMORYTYPE_DEVICE) {
			pointer->readable = host.readable;
			pointer->writable = host.writable;
		}
	}
	maps_free(&maps);
}

/* Without a current context there is no device pointer to report. */
static void query_in_context(const struct cuda_api *api, struct cuda_pointer *pointer)
{
	void *context = pointer->context;

	if (!context || api->cuCtxPushCurrent(context) != CUDA_SUCCESS)
		return;
	(void)query_one(
		api, pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, &pointer->device_pointer);
	(void)api->cuCtxPopCurrent(&context);
}

static void cuda_locate_name_device(const struct cuda_api *api, int ordinal, struct memory *memory)
{
	int device;

	if (ordinal >= 0 && api->cuDeviceGet(&device, ordinal) == CUDA_SUCCESS)
		(void)api->cuDeviceGetName(
			memory->device_name, sizeof(memory->device_name), device);
}

int cuda_locate(
	struct device_session *base, uint64_t address, struct memory *memory, struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	const struct cuda_api *api = session->api;
	struct cuda_pointer pointer;

	if (cuda_pointer_query(api, address, &pointer, err))
		return -1;
	if (!pointer.device_pointer)
		query_in_context(api, &pointer);
	if (pointer.type && find_range(api, address, &pointer.base, &pointer.size) &&
		pointer.is_vmm)
		join_mappings(api, memory, &pointer);
	if (pointer.type != CU_MEMORYTYPE_DEVICE || pointer.mapped == ANSWER_NO)
		query_maps(&pointer, memory);
	cuda_pointer_to_memory(&pointer, memory);
	if (memory->kind != MEMORY_UNKNOWN) {
		cuda_locate_name_device(api, pointer.ordinal, memory);
		return 0;
	}
	memory->readable = pointer.readable;
	memory->writable = pointer.writable;
	if (pointer.readable == ANSWER_YES)
		memory->host_accessible = ANSWER_YES;
	return 0;
}
