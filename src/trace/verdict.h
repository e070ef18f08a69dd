// SPDX-License-Identifier: MIT
/* What became of memory that was passed: results that share it, that are copies, or whose elements
 * are narrower or fewer. */
#ifndef TRACE_VERDICT_H
#define TRACE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

struct trace_call_line;

struct trace_verdict {
	bool is_copy;
	bool is_narrowed;
	uint32_t wide_bytes, narrow_bytes; /* of an element */
	uint64_t result_bytes;             /* of a copy; of the source if that is unknown */
	uint32_t causes;                   /* of a copy: enum trace_copy_cause */
	uint32_t from_type, to_type;       /* of the elements: TRACE_ELEMENT_TYPE(); 0: unknown */
	uint32_t n_before;                 /* further exchanges of the row that it concerns */
};

/* Whether the call of a consumer requests a copy. */
enum trace_copy_request {
	TRACE_NO_REQUEST,
	TRACE_REQUEST,
	TRACE_REQUEST_IF_UNEXPLAINED, /* unless the type or the order of the elements differs */
};

/* What is known of a call that received an array of NumPy. */
struct trace_conversion {
	void *dtype; /* the type of elements that it requests; NULL: none */
	enum trace_copy_request request;
	bool takes_any_order;         /* the order of the elements is no cause of its copies */
	bool is_part;                 /* the result has the elements of other objects as well */
	struct trace_call_line *line; /* NULL: the call receives no other array */
};

/* What was passed, or what the consumer returned. */
struct trace_elements {
	uint64_t n_bytes;
	uint32_t item_bytes; /* 0: unknown */
	char kind;           /* as NumPy's dtype.kind; 0: unknown, as of raw bytes */
	int n_dimensions;    /* of an array of NumPy */
	bool is_part;        /* the result has the elements of other objects as well */
};

/* The verdict on a copy, from the fields of a result that is an array of NumPy, and from the
 * attributes nbytes, itemsize and dtype of another one. It is not narrowed if these are unknown, if
 * one of the types is not numeric, or if the program's own code requested a dtype (NULL: none) that
 * is as narrow. result: NULL if it is unknown. Call with the GIL and without the lock. */
struct trace_verdict trace_verdict_of_copy(
	void *result, void *dtype, const struct trace_elements *source);

/* Adds the cause that memory at the address is not aligned as the library requires. Call with the
 * lock. */
void trace_verdict_check_alignment(
	struct trace_verdict *verdict, uint64_t address, uint32_t library);

/* Adds the cause that the call requests a copy. */
void trace_verdict_add_request(struct trace_verdict *verdict, enum trace_copy_request request);

/* Adds a verdict to an exchange that was counted, and to its event. Call with the lock. */
void trace_verdict_count(uint32_t row, uint32_t event, const struct trace_verdict *verdict);

/* Adds only the narrowing of a copy that was counted before. Call with the lock. */
void trace_verdict_count_narrowing(
	uint32_t row, uint32_t event, const struct trace_verdict *verdict);

#endif
