// SPDX-License-Identifier: MIT
/*
 * Proofs of order between streams of CUDA: a gate holds a producer's stream, and an event on the
 * consumer's tells whether that one waits for it. The host is asked for nothing it could guess.
 */
#ifndef DEVICES_CUDA_CUDA_PROOF_H
#define DEVICES_CUDA_CUDA_PROOF_H

#include "devices/cuda/cuda.h"
#include "devices/gate.h"

struct cuda_proof;

enum cuda_order {
	CUDA_ORDER_UNCLEAR, /* the gate went by itself, or the device was too busy to tell */
	CUDA_ORDER_NONE,    /* the consumer's work was done while the producer's was held */
	CUDA_ORDER_KEPT,    /* it was done only once the gate was open */
};

/*
 * Gives what proofs on a device need, in the context of the producer's stream (1, 2 or a handle);
 * free it with cuda_proof_close. NULL with err set.
 */
struct cuda_proof *cuda_proof_open(int64_t device, uint64_t producer, struct err *err);
void cuda_proof_close(struct cuda_proof *proof);

/* A stream for consumers, which waits for no other by itself; kept by the proof. */
uint64_t cuda_proof_consumer(const struct cuda_proof *proof);

/* Whether CUDA itself orders the consumer's stream after the producer's: they are the same, or the
 * legacy default stream and one that blocks. Nothing can be told of those. */
bool cuda_proof_joins(const struct cuda_proof *proof, uint64_t consumer);

/* Loads the gate, which proofs by data do without; to be called before it is shut. */
int cuda_proof_make_gate(struct cuda_proof *proof, struct err *err);

/* Shuts the gate on a stream, behind which its later work waits; gives the gate, to be watched.
 * NULL with err set. */
struct gate *cuda_proof_shut(struct cuda_proof *proof, uint64_t stream, struct err *err);

/* With the gate shut: makes the consumer's stream wait for the work that stream has now, which may
 * be any number that an object names. */
int cuda_proof_wait(struct cuda_proof *proof, uint64_t consumer, uint64_t stream, struct err *err);

/* With the gate shut on the producer's stream: whether the consumer's waits for it. May open it. */
enum cuda_order cuda_proof_judge(struct cuda_proof *proof, uint64_t consumer);

/* Opens the gate, and waits for the stream it was shut on and for the consumer's. */
int cuda_proof_end(struct cuda_proof *proof, struct err *err);

/*
 * Waits until the device has nothing left to do, so that no verdict depends on how fast it is: a
 * host loop that submits work piece by piece is waited for as well, for 10 s at most.
 */
int cuda_proof_rest(struct cuda_proof *proof, struct err *err);

/* Begins to capture a stream (not 1) into a graph; ends it: 0, or -1 with the driver's word in err
 * where the capture was invalidated meanwhile. */
int cuda_proof_capture(struct cuda_proof *proof, uint64_t stream, struct err *err);
int cuda_proof_capture_end(struct cuda_proof *proof, uint64_t stream, struct err *err);

/* Copies up to 64 KiB beside all other work: to the host, or (writes) from there. Waits for the
 * copy alone. */
int cuda_proof_move(struct cuda_proof *proof, void *host, uint64_t address, size_t n_bytes,
	bool writes, struct err *err);

/* What a comparison found. */
struct cuda_compared {
	int64_t n_changed; /* bytes */
	int64_t busy_ms;   /* until the whole device was done; 0: nothing was pending */
};

/* Copies bytes on the consumer's stream as it is, and once more when the whole device is done. */
enum { CUDA_PROOF_MAX_BYTES = 1 << 16 };
int cuda_proof_compare(struct cuda_proof *proof, uint64_t address, size_t n_bytes,
	struct cuda_compared *compared, struct err *err);

#endif
