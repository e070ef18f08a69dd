// SPDX-License-Identifier: MIT
/*
 * Work on the queue of a producer: waited for before its object is passed to a consumer, or still
 * pending while the consumer is called. The pending work writes the elements; until it completes,
 * the memory has others.
 */
#ifndef WORKER_CONSUME_PENDING_WORK_H
#define WORKER_CONSUME_PENDING_WORK_H

#include "worker/capture/capture.h"

struct gate;

struct pending_work {
	struct device_session *session; /* on the queue that the object declares */
	struct device_session *writer;  /* on another queue, which the gate does not block */
	struct gate *gate;
	bool host_reaches; /* the memory at: */
	uint64_t low;
	size_t n_bytes;
	unsigned char *bytes; /* the elements */
};

/* Opens the queue that an interface of the object declares. EXIT_UNAVAILABLE with the reason if
 * there is none on which work can be delayed; *work is null then. */
int pending_work_open(struct capture_context *context, PyObject *object, struct pending_work *work,
	struct err *err);

/* Waits for all work on the queue. */
int pending_work_wait(const struct pending_work *work, struct err *err);

/* Changes the bytes in [low, high), and submits work that restores them as soon as something
 * waits for it, at the latest at pending_work_end(). */
int pending_work_begin(struct pending_work *work, uint64_t low, uint64_t high, struct err *err);

/* Whether it is still pending, as far as it can be known without waiting. */
bool pending_work_is_pending(const struct pending_work *work);

/* Completes the work; whether it was still pending. Accepts work that was not begun. */
bool pending_work_end(struct pending_work *work);

/* Accepts null work. */
void pending_work_close(struct pending_work *work);

#endif
