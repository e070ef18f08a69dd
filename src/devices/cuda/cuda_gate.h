// SPDX-License-Identifier: MIT
/* A gate on a CUDA stream (devices/gate.h), created once and closed repeatedly. */
#ifndef DEVICES_CUDA_CUDA_GATE_H
#define DEVICES_CUDA_CUDA_GATE_H

#include "devices/cuda/cuda_session.h"
#include "devices/gate.h"

struct cuda_gate {
	struct gate base;
	void *module, *function;
	void *passed; /* the event behind the gate */
	uint64_t flag;
	void *pinned; /* what is written behind the gate; NULL: nothing */
};

/*
 * Loads the kernel and runs it once through an open gate, on a stream that waits for no other, so
 * that nothing is loaded later. The session is entered, here and below.
 */
int cuda_gate_make(
	struct cuda_session *session, struct cuda_gate *gate, void *stream, struct err *err);

/* Closes the gate on a stream: 1, 2 or a handle. */
int cuda_gate_shut(
	struct cuda_session *session, struct cuda_gate *gate, uint64_t stream, struct err *err);

/* Whether work behind the gate is still blocked, according to the driver rather than the flag. */
bool cuda_gate_is_shut(struct cuda_session *session, const struct cuda_gate *gate);

/* Opens the gate and waits until the stream has passed it. */
int cuda_gate_end(struct cuda_session *session, struct cuda_gate *gate, struct err *err);

/* Frees the gate, which is open. */
void cuda_gate_free(struct cuda_session *session, struct cuda_gate *gate);

/* Functions of struct device_runtime: a gate on the stream of the session's producer. */
struct gate *cuda_session_shut_gate(struct device_session *session, struct err *err);
void cuda_session_end_gate(struct device_session *session, struct gate *gate);
int cuda_session_write_behind(struct device_session *session, struct gate *gate, uint64_t address,
	const void *bytes, size_t n_bytes, struct err *err);

#endif
