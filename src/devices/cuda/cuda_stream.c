// SPDX-License-Identifier: MIT
/*
 * CUDA streams: whether one is alive, waiting for one with an event, and creating one. A stream
 * that is being captured is not touched: a query or a wait would end the capture.
 */
#include "devices/cuda/cuda_session.h"
#include "model/cuda_streams.h"
#include "os/fault.h"
#include "os/peek.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

enum { HANDLE_BYTES = 64 };

/* A query about a handle, for fault_guard(). */
struct stream_query {
	void *stream, *context;
	int capturing, result;
	const char *function;
};

static void cuda_stream_query(void *argument)
{
	struct stream_query *query = argument;

	query->function = "cuStreamGetCtx";
	query->result = cuda_driver()->cuStreamGetCtx(query->stream, &query->context);
	if (query->result != CUDA_SUCCESS)
		return;
	query->function = "cuStreamIsCapturing";
	query->result = cuda_driver()->cuStreamIsCapturing(query->stream, &query->capturing);
	if (query->result != CUDA_SUCCESS || query->capturing)
		return;
	query->function = "cuStreamQuery";
	query->result = cuda_driver()->cuStreamQuery(query->stream);
	if (query->result == CUDA_ERROR_NOT_READY)
		query->result = CUDA_SUCCESS;
}

/* Errors about the handle; others are about earlier work. */
static bool is_about_handle(int result)
{
	return result == CUDA_ERROR_INVALID_HANDLE || result == CUDA_ERROR_INVALID_VALUE ||
	       result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static int64_t device_of(void *context)
{
	int device = -1;

	if (cuda_driver()->cuCtxPushCurrent(context) != CUDA_SUCCESS)
		return -1;
	if (cuda_driver()->cuCtxGetDevice(&device) != CUDA_SUCCESS)
		device = -1;
	(void)cuda_driver()->cuCtxPopCurrent(&context);
	return device;
}

static bool query_handle(
	uint64_t handle, struct stream_query *query, struct cuda_stream_facts *facts)
{
	char bytes[HANDLE_BYTES];
	bool is_readable = peek_bytes(bytes, handle, sizeof(bytes));
	int number;

	*query = (struct stream_query){ .stream = (void *)(uintptr_t)handle };
	facts->valid = ANSWER_NO;
	number = is_readable ? fault_guard(cuda_stream_query, query) : 0;
	if (!is_readable) {
		snprintf(facts->error, sizeof(facts->error), "no readable memory at 0x%" PRIx64,
			handle);
	} else if (number) {
		snprintf(facts->error, sizeof(facts->error), "%s: %s", query->function,
			number == SIGBUS ? "SIGBUS" : "SIGSEGV");
	} else if (query->result != CUDA_SUCCESS) {
		snprintf(facts->error, sizeof(facts->error), "%s: %s", query->function,
			cuda_error_name(cuda_driver(), query->result));
		if (!is_about_handle(query->result))
			facts->valid = ANSWER_UNKNOWN;
	} else {
		facts->valid = ANSWER_YES;
	}
	return facts->valid == ANSWER_YES;
}

void cuda_query_stream(uint64_t handle, struct cuda_stream_facts *facts)
{
	struct stream_query query;

	*facts = (struct cuda_stream_facts){ .valid = ANSWER_YES, .device = -1 };
	if (handle >= CUDA_STREAM_FIRST_HANDLE && query_handle(handle, &query, facts) &&
		query.context)
		facts->device = device_of(query.context);
}

/* Enters the context that the event must belong to. */
static int enter_context(struct cuda_session *session, struct err *err)
{
	struct cuda_stream_facts facts = { .valid = ANSWER_YES };
	struct stream_query query = { .context = NULL };

	if (session->producer >= CUDA_STREAM_FIRST_HANDLE &&
		!query_handle(session->producer, &query, &facts))
		return err_set(err, EXIT_TARGET, "cannot wait for stream 0x%" PRIx64 ": %s",
			session->producer, facts.error);
	if (query.capturing)
		return err_set(err, EXIT_TARGET,
			"cannot wait for stream 0x%" PRIx64
			", which is being captured into a graph",
			session->producer);
	if (query.context)
		return CUDA_CALL(session->api, err, cuCtxPushCurrent, query.context);
	return cuda_enter(session, err);
}

int cuda_wait(struct device_session *base, bool *waited, struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	void *stream = (void *)(uintptr_t)session->producer, *event = NULL;
	int rc;

	*waited = session->has_producer;
	if (!session->has_producer)
		return 0;
	if (enter_context(session, err))
		return -1;
	rc = CUDA_CALL(session->api, err, cuEventCreate, &event, CU_EVENT_DISABLE_TIMING) ||
	     CUDA_CALL(session->api, err, cuEventRecord, event, stream) ||
	     CUDA_CALL(session->api, err, cuEventSynchronize, event);
	if (event)
		(void)session->api->cuEventDestroy(event);
	cuda_leave(session);
	return rc ? -1 : 0;
}

/* A session that only provides its context; release that with cuda_release_primary(). */
static struct cuda_session session_of(int64_t device)
{
	return (struct cuda_session){ .api = cuda_driver(), .ordinal = (int)device };
}

int cuda_stream_new(int64_t device, uint64_t *handle, struct err *err)
{
	struct cuda_session session;
	void *stream = NULL;
	int rc;

	if (cuda_load(err))
		return -1;
	session = session_of(device);
	rc = cuda_enter(&session, err);
	if (!rc) {
		rc = CUDA_CALL(session.api, err, cuStreamCreate, &stream, 0);
		cuda_leave(&session);
	}
	if (rc)
		cuda_release_primary(&session); /* otherwise cuda_stream_end() does */
	*handle = (uint64_t)(uintptr_t)stream;
	return rc;
}

void cuda_stream_end(uint64_t handle, int64_t device)
{
	struct cuda_session session = session_of(device);
	struct err ignored;

	if (!cuda_enter(&session, &ignored)) {
		(void)session.api->cuStreamDestroy((void *)(uintptr_t)handle);
		cuda_leave(&session);
	}
	/* Once for this call, and once for cuda_stream_new(). */
	cuda_release_primary(&session);
	cuda_release_primary(&session);
}
