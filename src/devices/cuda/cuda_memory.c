// SPDX-License-Identifier: MIT
/*
 * Memory of a CUDA session: allocated, freed, and copied on the session's own stream. Copies return
 * on completion. Device memory is not from a pool, which other devices cannot access without its
 * handle, and whose creation takes longer than the allocation.
 */
#include "base/machine_memory.h"
#include "devices/cuda/cuda_session.h"

/* The driver allocates any amount of managed memory, of which pages exist when they are used. */
static int allocate_managed(
	struct cuda_session *session, size_t n_bytes, uint64_t *address, struct err *err)
{
	size_t of_device;
	int device;

	if (CUDA_CALL(session->api, err, cuDeviceGet, &device,
		    session->ordinal < 0 ? 0 : session->ordinal) ||
		CUDA_CALL(session->api, err, cuDeviceTotalMem, &of_device, device))
		return -1;
	if (n_bytes > of_device && n_bytes - of_device > machine_memory_bytes())
		return err_set(err, EXIT_TARGET, "the machine and its GPU have less memory");
	return CUDA_CALL(
		session->api, err, cuMemAllocManaged, address, n_bytes, CU_MEM_ATTACH_GLOBAL);
}

static int cuda_memory_allocate_kind(struct cuda_session *session, enum memory_kind kind,
	size_t n_bytes, uint64_t *address, struct err *err)
{
	void *host;

	switch (kind) {
	case MEMORY_DEVICE:
		return CUDA_CALL(session->api, err, cuMemAlloc, address, n_bytes);
	case MEMORY_MANAGED:
		return allocate_managed(session, n_bytes, address, err);
	case MEMORY_PINNED:
		if (CUDA_CALL(session->api, err, cuMemHostAlloc, &host, n_bytes,
			    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
			return -1;
		*address = (uint64_t)(uintptr_t)host;
		return 0;
	default:
		return err_set(err, EXIT_UNAVAILABLE, "CUDA cannot allocate %s memory",
			memory_kind_name(kind));
	}
}

int cuda_allocate(struct device_session *base, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	int rc;

	*pointer = (struct device_pointer){ 0 };
	if (cuda_enter(session, err))
		return -1;
	rc = cuda_memory_allocate_kind(session, kind, n_bytes, &pointer->address, err);
	cuda_leave(session);
	return rc;
}

/*
 * Consumers may still use the memory on their own streams, so this waits for the whole context, as
 * cuMemFree does. The stream that the caller passed may be destroyed.
 */
static void cuda_memory_release(struct cuda_session *session, uint64_t address)
{
	const struct cuda_api *api = session->api;
	unsigned type = 0, managed = 0;

	(void)api->cuCtxSynchronize();
	(void)api->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
	(void)api->cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
	if (type == CU_MEMORYTYPE_HOST && !managed)
		(void)api->cuMemFreeHost((void *)(uintptr_t)address);
	else
		(void)api->cuMemFree(address);
}

void cuda_release(struct device_session *base, struct device_pointer pointer)
{
	struct cuda_session *session = (struct cuda_session *)base;
	struct err ignored;

	if (!pointer.address || cuda_enter(session, &ignored))
		return;
	cuda_memory_release(session, pointer.address);
	cuda_leave(session);
}

/* Unified addressing: the driver determines on which side each address is. */
static int copy_bytes(
	struct cuda_session *session, uint64_t to, uint64_t from, size_t n_bytes, struct err *err)
{
	void *stream;
	int rc;

	if (!n_bytes)
		return 0;
	if (cuda_enter(session, err))
		return -1;
	rc = cuda_session_stream(session, &stream, err) ||
	     CUDA_CALL(session->api, err, cuMemcpyAsync, to, from, n_bytes, stream) ||
	     CUDA_CALL(session->api, err, cuStreamSynchronize, stream);
	cuda_leave(session);
	return rc ? -1 : 0;
}

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

int cuda_copy(
	struct device_session *session, void *to, const void *from, size_t n_bytes, struct err *err)
{
	return copy_bytes(
		(struct cuda_session *)session, address_of(to), address_of(from), n_bytes, err);
}

int cuda_read(struct device_session *session, void *to, struct device_pointer from, size_t n_bytes,
	struct err *err)
{
	return copy_bytes(
		(struct cuda_session *)session, address_of(to), from.address, n_bytes, err);
}

int cuda_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err)
{
	return copy_bytes(
		(struct cuda_session *)session, to.address, address_of(from), n_bytes, err);
}

int cuda_move(struct device_session *session, struct device_pointer to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	return copy_bytes((struct cuda_session *)session, to.address, from.address, n_bytes, err);
}
