// SPDX-License-Identifier: MIT
/*
 * The tensors that `suai validate --consumer` passes to a consumer: one row each in cases.c. The
 * worker builds them (worker/consume/); the judge lists them and prints the Python that builds one.
 * Rows that use fields of dlpack.h only are DLPack's, those with items or CASE_SWAPPED not.
 */
#ifndef CONSUMERS_CASES_H
#define CONSUMERS_CASES_H

#include "base/arena.h"
#include "consumers/tensor_interface.h"
#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>

enum { CASE_MAX_DIMS = 8, CASE_ALIGNMENT = 64 };

/* What a conforming consumer does. */
enum case_expectation {
	EXPECT_ELEMENTS,  /* legal: returns an array of these elements, or raises an exception */
	EXPECT_EXCEPTION, /* legal: the exporter raises; the consumer passes the exception on */
	EXPECT_REJECTION, /* the tensor violates dlpack.h; a consumer that checks raises */
};

enum case_flags {
	CASE_LEGACY = 1 << 0, /* DLManagedTensor, whatever max_version is */
	CASE_NULL_STRIDES = 1 << 1,
	CASE_NULL_SHAPE = 1 << 2,
	CASE_NULL_DATA = 1 << 3,
	CASE_NULL_DELETER = 1 << 4,
	CASE_READONLY = 1 << 5,
	CASE_COPIED = 1 << 6,        /* flag IS_COPIED */
	CASE_UNKNOWN_FLAG = 1 << 7,  /* a flag that dlpack.h 1.3 does not define */
	CASE_NO_KEYWORDS = 1 << 8,   /* __dlpack__ accepts only stream */
	CASE_SLOW = 1 << 9,          /* __dlpack__ takes CASE_SLOW_MS */
	CASE_NO_METHOD = 1 << 10,    /* the object has no __dlpack__ */
	CASE_GARBAGE = 1 << 11,      /* what follows the deleter is 0xff, as in a newer ABI */
	CASE_SWAPPED = 1 << 12,      /* the byte order is not this machine's; not in DLPack */
	CASE_NULL_CONTEXT = 1 << 13, /* manager_ctx is NULL */
};

enum { CASE_SLOW_MS = 300 };

/* The message of __dlpack__ if max_version does not allow the struct of the case. */
#define CASE_REQUIRES_VERSION "suai: this tensor requires max_version=(1, 0)"

/* What __dlpack__ or __dlpack_device__ returns instead of what the protocol requires. */
enum case_result {
	RESULT_CAPSULE,
	RESULT_INT,
	RESULT_NONE,
	RESULT_BYTES,
	RESULT_DEVICE_NONE, /* of __dlpack_device__ */
	RESULT_DEVICE_TEXT,
	RESULT_DEVICE_LONG, /* three numbers */
};

/* The attribute __dlpack_c_exchange_api__ of the tensor's type. */
enum case_exchange {
	EXCHANGE_NONE,
	EXCHANGE_TABLE,  /* of version 1.3 */
	EXCHANGE_CHAIN,  /* of version 2.0; its prev_api is of version 1.3 */
	EXCHANGE_MAJOR,  /* of version 2.0, whose functions are not those of version 1 */
	EXCHANGE_NAME,   /* in a capsule of another name */
	EXCHANGE_RAISES, /* its functions raise BufferError */
};

struct consumer_case {
	const char *id;
	const char *about; /* completes "a tensor with ..." */
	enum case_expectation expectation;
	int flags; /* of enum case_flags */
	/* The element type: DLPack's code, bits and lanes. All 0: float32. */
	int code, bits, lanes;
	int n_dims;
	int64_t shape[CASE_MAX_DIMS];   /* in elements */
	bool has_strides;               /* otherwise compact C order */
	int64_t strides[CASE_MAX_DIMS]; /* in elements */
	int n_unit_dims;                /* dimensions of extent 1 before these */
	int64_t byte_offset; /* DLTensor.byte_offset; data is that far below the elements */
	int misalignment;    /* bytes from a multiple of CASE_ALIGNMENT to data */
	/* Fields of the struct that differ from what the rows above make; 0: they do not. */
	const char *capsule_name; /* "" is NULL */
	int major, minor;         /* of a versioned struct; 0.0: what max_version requests */
	int64_t ndim;
	uint64_t wrong_offset; /* byte_offset */
	int device_type, device_id;
	int asked_device_type; /* as __dlpack_device__ returns it */
	enum case_result result;
	enum case_exchange exchange;
	const char *raises;        /* __dlpack__ raises this built-in exception */
	const char *raises_device; /* so does __dlpack_device__ */
	/* Only of dictionaries: one, in Python syntax, whose items replace those of the one that
	 * the rows above make; and the protocols that have them, all if NULL. */
	const char *items, *only;
};

/* Ends with a NULL id. Ids are final. */
extern const struct consumer_case consumer_cases[];

/* The row of the table, or the drawn one (draw.h), which is in the arena. NULL if there is none of
 * that id. */
const struct consumer_case *consumer_case_find(struct arena *arena, const char *id);

/* The row as the interface exports it: a drawn row is simplified to what the interface can express.
 * NULL: it cannot express the row. */
const struct consumer_case *consumer_case_find_for(
	struct arena *arena, const char *id, const struct tensor_interface *interface);

bool consumer_case_is_legal(const struct consumer_case *row);

/*
 * Whether the interface can express the row. Invalid tensors are those of DLPack and of
 * dictionaries: a Py_buffer and a PyArrayInterface are C structs that only C fills.
 */
bool consumer_case_fits(const struct consumer_case *row, const struct tensor_interface *interface);

/* Fills the extents and the strides in bytes, at most INT64_MAX, of a row that a protocol other
 * than DLPack can express. Both have room for ARRAY_MAX_DIMS numbers. Returns their number. */
int consumer_case_extents(const struct consumer_case *row, int64_t *shape, int64_t *stride_bytes);

/*
 * Describes the elements: type, shape and strides, as a consumer must read them; pointer is the
 * offset in bytes of the element at index 0, 0, ... from the lowest byte of the tensor's memory,
 * *n_bytes the size of that memory, with what byte_offset skips. False if there are none: the
 * struct has no readable layout.
 */
bool consumer_case_describe(const struct consumer_case *row, struct array *array, int64_t *n_bytes);

#endif
