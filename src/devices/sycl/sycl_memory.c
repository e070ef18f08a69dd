// SPDX-License-Identifier: MIT
/* USM of a SYCL place: allocated, freed, and copied by its queue. */
#include "base/huge_pages.h"
#include "devices/sycl/sycl_place.h"

void *sycl_queue_for(struct sycl_place *place, const void *to, const void *from, struct err *err)
{
	enum memory_kind kind;

	if (place->queue)
		return place->queue;
	if (!place->device)
		place->device = sycl_device_at(place, (uintptr_t)from, &kind);
	if (!place->device)
		place->device = sycl_device_at(place, (uintptr_t)to, &kind);
	if (place->device)
		place->queue = place->api->Queue_Create(place->context, place->device, NULL, 0);
	if (!place->queue)
		err_set(err, EXIT_UNAVAILABLE,
			"DPCTLQueue_Create gave no queue for the memory's context");
	return place->queue;
}

int sycl_copy(
	struct device_place *base, void *to, const void *from, size_t n_bytes, struct err *err)
{
	struct sycl_place *place = (struct sycl_place *)base;
	void *queue = sycl_queue_for(place, to, from, err);
	void *event;

	if (!queue)
		return -1;
	if (!n_bytes)
		return 0;
	event = place->api->Queue_Memcpy(queue, to, from, n_bytes);
	if (!event)
		return err_set(err, EXIT_TARGET,
			"DPCTLQueue_Memcpy refused %zu bytes from %p to %p: one of them is not "
			"within an allocation",
			n_bytes, from, to);
	place->api->Event_Wait(event);
	place->api->Event_Delete(event);
	return 0;
}

static void *allocate_kind(const struct sycl_place *place, enum memory_kind kind, size_t n_bytes,
	const char **function)
{
	const size_t alignment = huge_pages_alignment(n_bytes);

	switch (kind) {
	case MEMORY_USM_SHARED:
		*function = "DPCTLaligned_alloc_shared";
		return place->api->aligned_alloc_shared(alignment, n_bytes, place->queue);
	case MEMORY_USM_HOST:
		*function = "DPCTLaligned_alloc_host";
		return place->api->aligned_alloc_host(alignment, n_bytes, place->queue);
	case MEMORY_USM_DEVICE:
		*function = "DPCTLaligned_alloc_device";
		return place->api->aligned_alloc_device(alignment, n_bytes, place->queue);
	default:
		return NULL;
	}
}

static bool has_kind(const struct sycl_place *place, enum memory_kind kind)
{
	int aspect = kind == MEMORY_USM_SHARED ? SYCL_ASPECT_USM_SHARED
		     : kind == MEMORY_USM_HOST ? SYCL_ASPECT_USM_HOST
					       : SYCL_ASPECT_USM_DEVICE;

	return !place->device || place->api->Device_HasAspect(place->device, aspect);
}

int sycl_allocate(struct device_place *base, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	struct sycl_place *place = (struct sycl_place *)base;
	const char *function = NULL;
	void *memory;

	if (!sycl_queue_for(place, NULL, NULL, err))
		return -1;
	memory = allocate_kind(place, kind, n_bytes, &function);
	if (!function)
		return err_set(
			err, EXIT_UNAVAILABLE, "sycl has no %s memory", memory_kind_name(kind));
	if (!memory && !has_kind(place, kind))
		return err_set(err, EXIT_UNAVAILABLE,
			"the device has no %s memory; 'suai devices' tells which have, in the line USM",
			memory_kind_name(kind));
	if (!memory)
		return err_set(err, EXIT_UNAVAILABLE, "%s gave no %zu bytes", function, n_bytes);
	if (place->device && place->api->Device_IsCPU(place->device))
		huge_pages_ask(memory, n_bytes);
	*pointer = (struct device_pointer){ .address = (uintptr_t)memory };
	return 0;
}

void sycl_release(struct device_place *base, struct device_pointer pointer)
{
	struct sycl_place *place = (struct sycl_place *)base;

	place->api->free_with_context((void *)(uintptr_t)pointer.address, place->context);
}

int sycl_read(struct device_place *place, void *to, struct device_pointer from, size_t n_bytes,
	struct err *err)
{
	return sycl_copy(place, to, (const void *)(uintptr_t)from.address, n_bytes, err);
}

int sycl_write(struct device_place *place, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err)
{
	return sycl_copy(place, (void *)(uintptr_t)to.address, from, n_bytes, err);
}

int sycl_move(struct device_place *place, struct device_pointer to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	return sycl_copy(place, (void *)(uintptr_t)to.address,
		(const void *)(uintptr_t)from.address, n_bytes, err);
}
