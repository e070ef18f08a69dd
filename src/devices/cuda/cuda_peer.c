// SPDX-License-Identifier: MIT
/*
 * Whether the current device can access memory of another device.
 * CU_POINTER_ATTRIBUTE_ACCESS_FLAGS is not usable: it reports "read and write" for cuMemAlloc
 * memory whether or not peer access is enabled, and for pools too (driver 580, two H200: kernels
 * fault). Each kind of memory has its own query.
 */
#include "devices/cuda/cuda_session.h"

static enum answer query_pool(const struct cuda_api *api, void *pool, int device)
{
	struct cuda_location location = { CU_MEM_LOCATION_TYPE_DEVICE, device };
	int flags = 0;

	if (!api->cuMemPoolGetAccess ||
		api->cuMemPoolGetAccess(&flags, pool, &location) != CUDA_SUCCESS)
		return ANSWER_UNKNOWN;
	return flags ? ANSWER_YES : ANSWER_NO;
}

static enum answer cuda_peer_ask_mapping(const struct cuda_api *api, uint64_t address, int device)
{
	struct cuda_location location = { CU_MEM_LOCATION_TYPE_DEVICE, device };
	unsigned long long flags = 0;

	if (api->cuMemGetAccess(&flags, &location, address) != CUDA_SUCCESS)
		return ANSWER_UNKNOWN;
	return flags ? ANSWER_YES : ANSWER_NO;
}

/*
 * The driver has no query for this: enabling what is enabled is an error, and a successful
 * attempt is undone at once.
 */
static enum answer query_peer(const struct cuda_api *api, void *context)
{
	switch (api->cuCtxEnablePeerAccess(context, 0)) {
	case CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
		return ANSWER_YES;
	case CUDA_SUCCESS:
		(void)api->cuCtxDisablePeerAccess(context);
		return ANSWER_NO;
	case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
	case CUDA_ERROR_TOO_MANY_PEERS:
		return ANSWER_NO;
	default:
		return ANSWER_UNKNOWN;
	}
}

static enum answer query_access(const struct cuda_api *api, uint64_t address, int device)
{
	struct cuda_pointer pointer;
	struct err ignored;

	if (cuda_pointer_query(api, address, &pointer, &ignored) || !pointer.type)
		return ANSWER_UNKNOWN;
	if (pointer.ordinal == device || pointer.managed || pointer.type == CU_MEMORYTYPE_HOST)
		return ANSWER_YES;
	if (pointer.pool)
		return query_pool(api, pointer.pool, device);
	if (pointer.is_vmm)
		return cuda_peer_ask_mapping(api, address, device);
	return pointer.context ? query_peer(api, pointer.context) : ANSWER_UNKNOWN;
}

void cuda_query_driver(uint64_t address, struct cuda_facts *facts)
{
	const struct cuda_api *api = cuda_driver();
	int number = -1, pageable;

	*facts = (struct cuda_facts){ .peer_access = ANSWER_UNKNOWN,
		.pageable_access = ANSWER_UNKNOWN };
	if (api->cuCtxGetDevice(&number) == CUDA_SUCCESS) {
		facts->current_device = number;
		facts->peer_access = query_access(api, address, number);
	}
	if (api->cuDeviceGet(&number, (int)facts->current_device) == CUDA_SUCCESS &&
		api->cuDeviceGetAttribute(&pageable, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
			number) == CUDA_SUCCESS)
		facts->pageable_access = pageable ? ANSWER_YES : ANSWER_NO;
}
