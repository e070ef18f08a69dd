// SPDX-License-Identifier: MIT
/*
 * The streams and events of a proof. That work completed while the gate was closed is certain:
 * its event is queried before that of the gate. That it did not complete depends on time: it is
 * accepted once work submitted at the same moment to another stream has completed and some time
 * has passed.
 */
#include "devices/cuda/cuda_proof.h"

#include "base/clock.h"
#include "base/memory.h"
#include "devices/cuda/cuda_gate.h"
#include "model/cuda_streams.h"

#include <stdlib.h>
#include <time.h>

enum { SETTLE_MS = 20, LOST_MS = 1000, MAX_REST_MS = 10000 };

struct cuda_proof {
	struct cuda_session *session;
	struct cuda_gate gate;
	uint64_t producer;
	bool producer_blocks;   /* a stream that the legacy default stream waits for */
	void *consumer, *other; /* streams that wait for no other */
	void *behind, *control; /* events */
	uint64_t buffer;        /* twice CUDA_PROOF_MAX_BYTES */
};

static void pause_shortly(void)
{
	const struct timespec time = { .tv_nsec = 100000 };

	nanosleep(&time, NULL);
}

static void *stream_of(uint64_t handle)
{
	return (void *)(uintptr_t)handle;
}

/* Checks that the producer's stream is alive and uses its context for the session. */
static int use_producer(struct cuda_proof *proof, struct err *err)
{
	struct cuda_session *session = proof->session;
	struct cuda_stream_facts facts;
	unsigned flags = 0;

	if (proof->producer < CUDA_STREAM_FIRST_HANDLE)
		return 0;
	cuda_query_stream(proof->producer, &facts);
	if (facts.valid != ANSWER_YES)
		return err_set(err, EXIT_TARGET, "cannot use the producer's stream 0x%llx: %s",
			(unsigned long long)proof->producer, facts.error);
	if (CUDA_CALL(session->api, err, cuStreamGetCtx, stream_of(proof->producer),
		    &session->context) ||
		CUDA_CALL(session->api, err, cuStreamGetFlags, stream_of(proof->producer), &flags))
		return -1;
	proof->producer_blocks = !(flags & CU_STREAM_NON_BLOCKING);
	return 0;
}

static int make(struct cuda_proof *proof, struct err *err)
{
	struct cuda_session *session = proof->session;
	const struct cuda_api *api = session->api;

	return CUDA_CALL(api, err, cuStreamCreate, &proof->consumer, CU_STREAM_NON_BLOCKING) ||
			       CUDA_CALL(api, err, cuStreamCreate, &proof->other,
				       CU_STREAM_NON_BLOCKING) ||
			       CUDA_CALL(api, err, cuEventCreate, &proof->behind,
				       CU_EVENT_DISABLE_TIMING) ||
			       CUDA_CALL(api, err, cuEventCreate, &proof->control,
				       CU_EVENT_DISABLE_TIMING) ||
			       CUDA_CALL(api, err, cuMemAlloc, &proof->buffer,
				       2UL * CUDA_PROOF_MAX_BYTES)
		       ? -1
		       : 0;
}

struct cuda_proof *cuda_proof_open(int64_t device, uint64_t producer, struct err *err)
{
	const struct cuda_source source = { .device = device };
	struct cuda_proof *proof = mem_alloc(sizeof(*proof));
	int rc;

	proof->producer = producer;
	proof->session = (struct cuda_session *)cuda_open(&source, err);
	if (!proof->session || use_producer(proof, err) || cuda_enter(proof->session, err)) {
		cuda_proof_close(proof);
		return NULL;
	}
	rc = make(proof, err);
	cuda_leave(proof->session);
	if (!rc)
		return proof;
	cuda_proof_close(proof);
	return NULL;
}

static void cuda_proof_release(struct cuda_proof *proof)
{
	const struct cuda_api *api = proof->session->api;

	cuda_gate_free(proof->session, &proof->gate);
	if (proof->consumer)
		(void)api->cuStreamDestroy(proof->consumer);
	if (proof->other)
		(void)api->cuStreamDestroy(proof->other);
	if (proof->behind)
		(void)api->cuEventDestroy(proof->behind);
	if (proof->control)
		(void)api->cuEventDestroy(proof->control);
	if (proof->buffer)
		(void)api->cuMemFree(proof->buffer);
}

void cuda_proof_close(struct cuda_proof *proof)
{
	struct err ignored;

	if (!proof)
		return;
	if (proof->session && !cuda_enter(proof->session, &ignored)) {
		cuda_proof_release(proof);
		cuda_leave(proof->session);
	}
	if (proof->session)
		proof->session->base.runtime->close(&proof->session->base);
	free(proof);
}

uint64_t cuda_proof_consumer(const struct cuda_proof *proof)
{
	return (uint64_t)(uintptr_t)proof->consumer;
}

bool cuda_proof_joins(const struct cuda_proof *proof, uint64_t consumer)
{
	uint64_t producer = proof->producer;

	if (consumer == producer)
		return true;
	if (consumer == CU_STREAM_LEGACY)
		return producer == CU_STREAM_PER_THREAD || proof->producer_blocks;
	return consumer == CU_STREAM_PER_THREAD && producer == CU_STREAM_LEGACY;
}

int cuda_proof_make_gate(struct cuda_proof *proof, struct err *err)
{
	int rc;

	if (cuda_enter(proof->session, err))
		return -1;
	rc = cuda_gate_make(proof->session, &proof->gate, proof->other, err);
	cuda_leave(proof->session);
	return rc;
}

struct gate *cuda_proof_shut(struct cuda_proof *proof, uint64_t stream, struct err *err)
{
	int rc;

	if (cuda_enter(proof->session, err))
		return NULL;
	rc = cuda_gate_shut(proof->session, &proof->gate, stream, err);
	cuda_leave(proof->session);
	return rc ? NULL : &proof->gate.base;
}

int cuda_proof_wait(struct cuda_proof *proof, uint64_t consumer, uint64_t stream, struct err *err)
{
	const struct cuda_api *api = proof->session->api;
	struct cuda_stream_facts facts;
	int rc;

	cuda_query_stream(stream, &facts);
	if (facts.valid == ANSWER_NO)
		return err_set(err, EXIT_TARGET, "0x%llx is not a valid CUDA stream: %s",
			(unsigned long long)stream, facts.error);
	if (cuda_enter(proof->session, err))
		return -1;
	rc = CUDA_CALL(api, err, cuEventRecord, proof->control, stream_of(stream)) ||
	     CUDA_CALL(api, err, cuStreamWaitEvent, stream_of(consumer), proof->control, 0);
	cuda_leave(proof->session);
	return rc ? -1 : 0;
}

static bool is_done(const struct cuda_proof *proof, void *event)
{
	return proof->session->api->cuEventQuery(event) == CUDA_SUCCESS;
}

/* Whether the event completes within the time limit. */
static bool event_completes(const struct cuda_proof *proof, void *event)
{
	int64_t begin = clock_ms();

	while (!is_done(proof, event)) {
		if (clock_ms() - begin > LOST_MS)
			return false;
		pause_shortly();
	}
	return true;
}

/* Both events are recorded. */
static enum cuda_order compare_events(struct cuda_proof *proof)
{
	int64_t begin = clock_ms(), since = -1;

	while (since < 0 || clock_ms() - since < SETTLE_MS) {
		if (is_done(proof, proof->behind))
			return cuda_gate_is_shut(proof->session, &proof->gate) ? CUDA_ORDER_NONE
									       : CUDA_ORDER_UNCLEAR;
		if (since < 0 && is_done(proof, proof->control))
			since = clock_ms();
		if (since < 0 && clock_ms() - begin > LOST_MS)
			return CUDA_ORDER_UNCLEAR;
		pause_shortly();
	}
	if (!cuda_gate_is_shut(proof->session, &proof->gate))
		return CUDA_ORDER_UNCLEAR;
	gate_open(&proof->gate.base);
	return event_completes(proof, proof->behind) ? CUDA_ORDER_KEPT : CUDA_ORDER_UNCLEAR;
}

enum cuda_order cuda_proof_check(struct cuda_proof *proof, uint64_t consumer)
{
	const struct cuda_api *api = proof->session->api;
	enum cuda_order order = CUDA_ORDER_UNCLEAR;
	struct err ignored;

	if (cuda_enter(proof->session, &ignored))
		return order;
	if (api->cuEventRecord(proof->behind, stream_of(consumer)) == CUDA_SUCCESS &&
		api->cuEventRecord(proof->control, proof->other) == CUDA_SUCCESS)
		order = compare_events(proof);
	cuda_leave(proof->session);
	return order;
}

int cuda_proof_end(struct cuda_proof *proof, struct err *err)
{
	int rc;

	if (cuda_enter(proof->session, err))
		return -1;
	rc = cuda_gate_end(proof->session, &proof->gate, err) ||
	     CUDA_CALL(proof->session->api, err, cuStreamSynchronize, proof->consumer);
	cuda_leave(proof->session);
	return rc ? -1 : 0;
}

int cuda_proof_rest(struct cuda_proof *proof, struct err *err)
{
	const struct timespec settle = { .tv_nsec = SETTLE_MS * 1000000L };
	int64_t begin = clock_ms(), before;
	int rc;

	if (cuda_enter(proof->session, err))
		return -1;
	rc = CUDA_CALL(proof->session->api, err, cuCtxSynchronize);
	/* Repeated until a synchronization finds nothing left to wait for. */
	do {
		nanosleep(&settle, NULL);
		before = clock_ms();
		rc = rc || CUDA_CALL(proof->session->api, err, cuCtxSynchronize);
	} while (!rc && clock_ms() - before > 1 && clock_ms() - begin < MAX_REST_MS);
	cuda_leave(proof->session);
	return rc ? -1 : 0;
}

int cuda_proof_capture(struct cuda_proof *proof, uint64_t stream, struct err *err)
{
	int rc;

	if (cuda_enter(proof->session, err))
		return -1;
	rc = CUDA_CALL(proof->session->api, err, cuStreamBeginCapture, stream_of(stream),
		CU_STREAM_CAPTURE_MODE_GLOBAL);
	cuda_leave(proof->session);
	return rc;
}

int cuda_proof_capture_end(struct cuda_proof *proof, uint64_t stream, struct err *err)
{
	const struct cuda_api *api = proof->session->api;
	void *graph = NULL;
	int rc;

	if (cuda_enter(proof->session, err))
		return -1;
	rc = CUDA_CALL(api, err, cuStreamEndCapture, stream_of(stream), &graph);
	if (graph)
		(void)api->cuGraphDestroy(graph);
	cuda_leave(proof->session);
	return rc;
}

int cuda_proof_move(struct cuda_proof *proof, void *host, uint64_t address, size_t n_bytes,
	bool writes, struct err *err)
{
	const struct cuda_api *api = proof->session->api;
	uint64_t other = (uint64_t)(uintptr_t)host;
	int rc;

	if (cuda_enter(proof->session, err))
		return -1;
	rc = CUDA_CALL(api, err, cuMemcpyAsync, writes ? address : other, writes ? other : address,
		     n_bytes, proof->other) ||
	     CUDA_CALL(api, err, cuStreamSynchronize, proof->other);
	cuda_leave(proof->session);
	return rc ? -1 : 0;
}

static int copy_twice(struct cuda_proof *proof, uint64_t address, size_t n_bytes, struct err *err)
{
	const struct cuda_api *api = proof->session->api;

	return CUDA_CALL(
		       api, err, cuMemcpyAsync, proof->buffer, address, n_bytes, proof->consumer) ||
			       CUDA_CALL(api, err, cuCtxSynchronize) ||
			       CUDA_CALL(api, err, cuMemcpyAsync,
				       proof->buffer + CUDA_PROOF_MAX_BYTES, address, n_bytes,
				       proof->consumer) ||
			       CUDA_CALL(api, err, cuStreamSynchronize, proof->consumer)
		       ? -1
		       : 0;
}

int cuda_proof_compare(struct cuda_proof *proof, uint64_t address, size_t n_bytes,
	struct cuda_compared *compared, struct err *err)
{
	static unsigned char first[CUDA_PROOF_MAX_BYTES], second[CUDA_PROOF_MAX_BYTES];
	int64_t begin = clock_ms();
	int rc;

	*compared = (struct cuda_compared){ 0 };
	if (cuda_enter(proof->session, err))
		return -1;
	rc = copy_twice(proof, address, n_bytes, err);
	cuda_leave(proof->session);
	compared->busy_ms = clock_ms() - begin;
	if (rc || cuda_proof_move(proof, first, proof->buffer, n_bytes, false, err) ||
		cuda_proof_move(
			proof, second, proof->buffer + CUDA_PROOF_MAX_BYTES, n_bytes, false, err))
		return -1;
	for (size_t i = 0; i < n_bytes; i++)
		compared->n_changed += first[i] != second[i];
	return 0;
}
