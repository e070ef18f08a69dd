// SPDX-License-Identifier: MIT
/*
 * Proofs of order between CUDA streams: a gate blocks the producer's stream, and an event on the
 * consumer's stream shows whether that stream waits for it.
 */
#ifndef DEVICES_CUDA_CUDA_PROOF_H
#define DEVICES_CUDA_CUDA_PROOF_H

#include "devices/cuda/cuda.h"
#include "devices/gate.h"

struct cuda_proof;

enum cuda_order {
	CUDA_ORDER_UNCLEAR, /* the gate opened by itself, or the device was too busy for a verdict
			     */
	CUDA_ORDER_NONE,    /* the consumer's work completed while the producer's was blocked */
	CUDA_ORDER_KEPT,    /* it completed only after the gate was opened */
};

/*
 * Gives the resources for proofs on a device, in the context of the producer's stream (1, 2 or a
 * handle); free it with cuda_proof_close. NULL with err set.
 */
struct cuda_proof *cuda_proof_open(int64_t device, uint64_t producer, struct err *err);
void cuda_proof_close(struct cuda_proof *proof);

/* A stream for consumers, which waits for no other; owned by the proof. */
uint64_t cuda_proof_consumer(const struct cuda_proof *proof);

/*
 * Whether CUDA itself orders the consumer's stream after the producer's: they are the same, or
 * one is the legacy default stream and the other a blocking stream. No verdict is possible for
 * these.
 */
bool cuda_proof_joins(const struct cuda_proof *proof, uint64_t consumer);

/* Creates the gate, which proofs by data do not require; call it before cuda_proof_shut. */
int cuda_proof_make_gate(struct cuda_proof *proof, struct err *err);

/*
 * Closes the gate on a stream, which blocks its later work; gives the gate, to be watched. NULL
 * with err set.
 */
struct gate *cuda_proof_shut(struct cuda_proof *proof, uint64_t stream, struct err *err);

/*
 * With the gate closed: makes the consumer's stream wait for the current work of stream, which
 * may be any number that an object declares.
 */
int cuda_proof_wait(struct cuda_proof *proof, uint64_t consumer, uint64_t stream, struct err *err);

/*
 * With the gate closed on the producer's stream: whether the consumer's stream waits for it. May
 * open the gate.
 */
enum cuda_order cuda_proof_check(struct cuda_proof *proof, uint64_t consumer);

/* Opens the gate and waits for the stream that it was on and for the consumer's. */
int cuda_proof_end(struct cuda_proof *proof, struct err *err);

/*
 * Waits until the device is idle, so that no verdict depends on its speed. Also waits for a host
 * loop that submits work piece by piece, for at most 10 s.
 */
int cuda_proof_rest(struct cuda_proof *proof, struct err *err);

/*
 * Begins to capture a stream (not 1) into a graph, and ends it: 0, or -1 with the driver's error
 * if the capture was invalidated in between.
 */
int cuda_proof_capture(struct cuda_proof *proof, uint64_t stream, struct err *err);
int cuda_proof_capture_end(struct cuda_proof *proof, uint64_t stream, struct err *err);

/*
 * Copies up to 64 KiB, independently of all other work, to the host, or (writes) from it. Waits
 * only for this copy.
 */
int cuda_proof_move(struct cuda_proof *proof, void *host, uint64_t address, size_t n_bytes,
	bool writes, struct err *err);

/* The outcome of a comparison. */
struct cuda_compared {
	int64_t n_changed; /* bytes */
	int64_t busy_ms;   /* until the device was idle; 0: nothing was pending */
};

/* Copies bytes on the consumer's stream immediately, and again when the device is idle. */
enum { CUDA_PROOF_MAX_BYTES = 1 << 16 };
int cuda_proof_compare(struct cuda_proof *proof, uint64_t address, size_t n_bytes,
	struct cuda_compared *compared, struct err *err);

#endif
