// SPDX-License-Identifier: MIT
/* USM of a SYCL session: allocated, freed, and copied on its queue. */
#include "base/huge_pages.h"
#include "base/plural.h"
#include "devices/sycl/sycl_session.h"

void *sycl_queue_for(
	struct sycl_session *session, const void *to, const void *from, struct err *err)
{
	enum memory_kind kind;

	if (session->queue)
		return session->queue;
	if (!session->device)
		session->device = sycl_device_at(session, (uintptr_t)from, &kind);
	if (!session->device)
		session->device = sycl_device_at(session, (uintptr_t)to, &kind);
	if (!session->device) {
		err_set(err, EXIT_UNAVAILABLE,
			"the SYCL context does not identify a single device");
		return NULL;
	}
	session->queue =
		session->api->DPCTLQueue_Create(session->context, session->device, NULL, 0);
	if (!session->queue)
		err_set(err, EXIT_UNAVAILABLE,
			"DPCTLQueue_Create returned NULL for the context of the memory");
	return session->queue;
}

int sycl_copy(
	struct device_session *base, void *to, const void *from, size_t n_bytes, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	void *queue = sycl_queue_for(session, to, from, err);
	void *event;

	if (!queue)
		return -1;
	if (!n_bytes)
		return 0;
	event = session->api->DPCTLQueue_Memcpy(queue, to, from, n_bytes);
	if (!event)
		return err_set(err, EXIT_TARGET,
			"DPCTLQueue_Memcpy returned NULL for %zu byte%s from %p to %p: a range may "
			"exceed its allocation",
			n_bytes, plural(n_bytes), from, to);
	session->api->DPCTLEvent_Wait(event);
	session->api->DPCTLEvent_Delete(event);
	return 0;
}

static void *sycl_memory_allocate_kind(const struct sycl_session *session, enum memory_kind kind,
	size_t n_bytes, const char **function)
{
	const size_t alignment = huge_pages_alignment(n_bytes);

	switch (kind) {
	case MEMORY_USM_SHARED:
		*function = "DPCTLaligned_alloc_shared";
		return session->api->DPCTLaligned_alloc_shared(alignment, n_bytes, session->queue);
	case MEMORY_USM_HOST:
		*function = "DPCTLaligned_alloc_host";
		return session->api->DPCTLaligned_alloc_host(alignment, n_bytes, session->queue);
	case MEMORY_USM_DEVICE:
		*function = "DPCTLaligned_alloc_device";
		return session->api->DPCTLaligned_alloc_device(alignment, n_bytes, session->queue);
	default:
		return NULL;
	}
}

static bool has_kind(const struct sycl_session *session, enum memory_kind kind)
{
	int aspect = kind == MEMORY_USM_SHARED ? SYCL_ASPECT_USM_SHARED
		     : kind == MEMORY_USM_HOST ? SYCL_ASPECT_USM_HOST
					       : SYCL_ASPECT_USM_DEVICE;

	return !session->device || session->api->DPCTLDevice_HasAspect(session->device, aspect);
}

int sycl_allocate(struct device_session *base, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	const char *function = NULL;
	void *memory;

	if (!sycl_queue_for(session, NULL, NULL, err))
		return -1;
	memory = sycl_memory_allocate_kind(session, kind, n_bytes, &function);
	if (!function)
		return err_set(
			err, EXIT_UNAVAILABLE, "SYCL has no %s memory", memory_kind_name(kind));
	if (!memory && !has_kind(session, kind))
		return err_set(err, EXIT_UNAVAILABLE,
			"the device does not support %s memory; 'suai devices' lists the USM kinds of each device",
			memory_kind_name(kind));
	if (!memory)
		return err_set(err, EXIT_UNAVAILABLE, "%s: cannot allocate %zu byte%s", function,
			n_bytes, plural(n_bytes));
	if (session->device && session->api->DPCTLDevice_IsCPU(session->device))
		huge_pages_advise(memory, n_bytes);
	*pointer = (struct device_pointer){ .address = (uintptr_t)memory };
	return 0;
}

void sycl_release(struct device_session *base, struct device_pointer pointer)
{
	struct sycl_session *session = (struct sycl_session *)base;

	session->api->DPCTLfree_with_context((void *)(uintptr_t)pointer.address, session->context);
}

int sycl_read(struct device_session *session, void *to, struct device_pointer from, size_t n_bytes,
	struct err *err)
{
	return sycl_copy(session, to, (const void *)(uintptr_t)from.address, n_bytes, err);
}

int sycl_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err)
{
	return sycl_copy(session, (void *)(uintptr_t)to.address, from, n_bytes, err);
}

int sycl_move(struct device_session *session, struct device_pointer to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	return sycl_copy(session, (void *)(uintptr_t)to.address,
		(const void *)(uintptr_t)from.address, n_bytes, err);
}
