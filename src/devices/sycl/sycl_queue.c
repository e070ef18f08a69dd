// SPDX-License-Identifier: MIT
/* Queues of SYCL sessions. */
#include "devices/sycl/sycl_queue.h"

#include "devices/sycl/sycl.h"
#include "devices/sycl/sycl_session.h"

static const struct sycl_api *api; /* of the sessions seen, which is one for all */

void *sycl_queue_give(struct device_session *base, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	void *queue = sycl_queue_for(session, NULL, NULL, err), *copy;

	if (!queue)
		return NULL;
	api = session->api;
	copy = api->DPCTLQueue_Copy(queue);
	if (!copy)
		err_set(err, EXIT_TARGET, "DPCTLQueue_Copy gave no queue");
	return copy;
}

void sycl_queue_delete(void *queue)
{
	if (queue)
		api->DPCTLQueue_Delete(queue);
}

struct device_session *sycl_queue_beside(struct device_session *base, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	struct sycl_source source = { 0 };
	struct device_session *beside;
	void *queue;

	if (!sycl_queue_for(session, NULL, NULL, err))
		return NULL;
	queue = session->api->DPCTLQueue_Create(session->context, session->device, NULL, 0);
	if (!queue) {
		err_set(err, EXIT_UNAVAILABLE, "DPCTLQueue_Create gave no queue");
		return NULL;
	}
	source.queue = queue;
	beside = sycl_open(&source, err);
	session->api->DPCTLQueue_Delete(queue);
	return beside;
}
