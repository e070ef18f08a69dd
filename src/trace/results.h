// SPDX-License-Identifier: MIT
/* The results of known consumers: whether what they return shares the memory of the exchange
 * that they caused. Their functions are wrapped once their modules are imported. */
#ifndef TRACE_RESULTS_H
#define TRACE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

/* An exchange, for the consumer that caused it. */
struct trace_passed {
	uint64_t address, n_bytes;
	uint32_t item_bytes; /* of an element */
	uint32_t row, consumer;
	uint32_t event; /* TRACE_NONE: not recorded */
	bool is_known_copy;
	uint8_t type_code;    /* of a tensor that a capsule passed: enum DLDataTypeCode */
	char item_kind;       /* as NumPy's dtype.kind; 0: unknown */
	bool is_set;          /* of what a thread noted: there is one */
	uint32_t tensor;      /* plus one; 0: none */
	uint64_t exported_ns; /* the same: when the capsule was created; 0: another exchange */
};

/* The last exchange of this thread. Call with the lock. */
void trace_results_note(const struct trace_passed *passed);

/* After the note of a buffer that a library requested, or of an attribute that it read: counts the
 * copy if NumPy converts a list whose conversion is not observed. Call with the GIL and without the
 * lock. */
void trace_results_settle(const struct trace_passed *passed);

/* The last exchange that this thread noted; NULL: none. Call with the lock. */
const struct trace_passed *trace_results_last(void);

/* The exchange of a tensor was taken back. */
void trace_results_forget(uint32_t tensor);

/* Whether a known consumer requests the same memory again during one call: that is one exchange. */
bool trace_results_repeat(uint32_t row, uint64_t address);

/* Whether the innermost frame is JAX's, which passes arrays of its own to its functions and its
 * native code. Call with the GIL and without the lock. */
bool trace_results_is_within_jax(void);

/* Wraps the functions of modules that were imported since the last call. Call with the GIL and
 * without the lock. */
void trace_results_update(void);

#endif
