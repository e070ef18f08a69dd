// SPDX-License-Identifier: MIT
/* What is read from the structs of DLPack. Nothing that they contain is trusted. */
#ifndef TRACE_TENSOR_FACTS_H
#define TRACE_TENSOR_FACTS_H

#include "trace/order.h"

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_tensor;

typedef void (*trace_tensor_deleter)(void *managed);

/* What is read from a tensor when its capsule is created. */
struct trace_tensor_facts {
	uint64_t address, n_bytes;
	uint32_t item_bytes;
	uint8_t type_code;
	bool is_copy, is_on_cuda;
	bool is_unread, is_versioned;
	enum trace_stream_request request; /* of a tensor on CUDA */
	trace_tensor_deleter *deleter; /* the field; NULL: the version of the struct is unknown */
};

/* Whether the word that a library points to exists, and can be written. What was found is kept for
 * each page, so that memory that is unmapped afterwards may be called accessible. */
bool trace_is_accessible(void *word, bool is_written);

/* Whether the pointer of a capsule can be that of a struct, of a multiple of 8 bytes. */
bool trace_is_struct(void *pointer, size_t n_bytes);

/* Reads a DLManagedTensor, or a DLManagedTensorVersioned. CuPy creates the capsule first, in memory
 * that may contain anything but for the context and the deleter, and fills the struct afterwards:
 * then it is not complete. */
struct trace_tensor_facts trace_tensor_read(void *pointer, bool is_versioned, bool is_complete);

/* The bytes of the elements; 0: there are none, or the fields are not valid. */
uint64_t trace_tensor_bytes(const DLTensor *tensor);

/* The flags of a new tensor of trace/record.h. */
uint32_t trace_tensor_flags(const struct trace_tensor_facts *facts);

/* Reads the struct of a recorded tensor, which is complete now, if that was not done and it still
 * exists. It may be gone if its release is not seen, unless it is in static memory. Call with the
 * lock. */
void trace_tensor_complete(uint32_t tensor, void *managed);

/* As NumPy's dtype.kind. All types from kDLFloat8_e3m4 on are narrow floating-point types. */
char trace_tensor_kind(const struct trace_tensor *tensor);

#endif
