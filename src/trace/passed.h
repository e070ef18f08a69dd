// SPDX-License-Identifier: MIT
/* The exchange that the call of a known consumer caused: what it passed is compared with the result
 * of the call. */
#ifndef TRACE_PASSED_H
#define TRACE_PASSED_H

#include <stdbool.h>
#include <stdint.h>

/* An exchange, for the consumer that caused it. */
struct trace_passed {
	uint64_t address, n_bytes;
	uint32_t item_bytes;    /* of an element */
	uint32_t row, consumer; /* row: TRACE_NONE if it is too small to be recorded */
	uint32_t event;         /* TRACE_NONE: not recorded */
	bool is_known_copy;
	uint8_t type_code;    /* of a tensor that a capsule passed: enum DLDataTypeCode */
	char item_kind;       /* as NumPy's dtype.kind; 0: unknown */
	bool is_set : 1;      /* of what a thread noted: there is one */
	bool is_buffer : 1;   /* a buffer passed it */
	uint32_t tensor;      /* plus one; 0: none */
	uint64_t exported_ns; /* the same: when the capsule was created; 0: another exchange */
};

/* The last exchange of this thread. Call with the lock. */
void trace_passed_note(const struct trace_passed *passed);

/* Counts an exchange that is too small to be recorded, so that the call during which it happens
 * does not count what it passes once more. Call with the lock. */
void trace_passed_note_below(const struct trace_passed *passed);

/* The last exchange that this thread noted; NULL: none. Call with the lock. */
const struct trace_passed *trace_passed_last(void);

/* The exchange of a tensor was taken back. */
void trace_passed_forget(uint32_t tensor);

/* Whether a known consumer requests the same buffer again during one call: that is one exchange.
 * object: whose buffer it requests. */
bool trace_passed_repeats(uint32_t consumer, uint64_t address, const void *object);

#endif
