// SPDX-License-Identifier: MIT
/* Queues of SYCL places. */
#include "devices/sycl/sycl_queue.h"

#include "devices/sycl/sycl.h"
#include "devices/sycl/sycl_place.h"

static const struct sycl_api *api; /* of the places seen, which is one for all */

void *sycl_queue_give(struct device_place *base, struct err *err)
{
	struct sycl_place *place = (struct sycl_place *)base;
	void *queue = sycl_queue_for(place, NULL, NULL, err), *copy;

	if (!queue)
		return NULL;
	api = place->api;
	copy = api->Queue_Copy(queue);
	if (!copy)
		err_set(err, EXIT_TARGET, "DPCTLQueue_Copy gave no queue");
	return copy;
}

void sycl_queue_delete(void *queue)
{
	if (queue)
		api->Queue_Delete(queue);
}

struct device_place *sycl_queue_beside(struct device_place *base, struct err *err)
{
	struct sycl_place *place = (struct sycl_place *)base;
	struct sycl_source source = { 0 };
	struct device_place *beside;
	void *queue;

	if (!sycl_queue_for(place, NULL, NULL, err))
		return NULL;
	queue = place->api->Queue_Create(place->context, place->device, NULL, 0);
	if (!queue) {
		err_set(err, EXIT_UNAVAILABLE, "DPCTLQueue_Create gave no queue");
		return NULL;
	}
	source.queue = queue;
	beside = sycl_open(&source, err);
	place->api->Queue_Delete(queue);
	return beside;
}
