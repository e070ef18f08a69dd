// SPDX-License-Identifier: MIT
/* The queue of a SYCL session, for those who are to use its memory. */
#ifndef DEVICES_SYCL_SYCL_QUEUE_H
#define DEVICES_SYCL_SYCL_QUEUE_H

#include "devices/device.h"

/* Gives a reference (DPCTLSyclQueueRef) to the session's queue, made where a context alone was
 * given; free it with sycl_queue_delete. NULL with err set. */
void *sycl_queue_give(struct device_session *session, struct err *err);

void sycl_queue_delete(void *queue);

/* Gives a session with a queue of its own on the same device and context; NULL with err set. */
struct device_session *sycl_queue_beside(struct device_session *session, struct err *err);

#endif
