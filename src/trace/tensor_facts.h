// SPDX-License-Identifier: MIT
/* Reads the structs of DLPack, without trusting anything that they contain. */
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
	bool is_writable;                  /* false: not known */
	enum trace_stream_request request; /* of a tensor on CUDA */
	trace_tensor_deleter *deleter; /* the field; NULL: the version of the struct is unknown */
};

/* Whether the word that a library points to exists and can be written. */
bool trace_is_writable(void *word);

/* Whether a text that may be gone, or NULL, is that one. */
bool trace_is_text(const char *text, const char *expected);

enum trace_access { TRACE_NO_ACCESS, TRACE_CAN_READ, TRACE_CAN_WRITE };

/* The access to a struct of n_bytes, a multiple of 8, to which a library points. TRACE_CAN_WRITE is
 * found only if the struct is to be written. */
enum trace_access trace_struct_access(void *pointer, size_t n_bytes, bool is_to_be_written);

/* Reads a DLManagedTensor, or a DLManagedTensorVersioned, which can be read. CuPy creates the
 * capsule first, in memory that may contain anything but for the context and the deleter, and fills
 * the struct afterwards: then it is not complete. */
struct trace_tensor_facts trace_tensor_read(void *pointer, bool is_versioned, bool is_complete);

/* The bytes of the elements; 0: there are none, or the fields are not valid. */
uint64_t trace_tensor_bytes(const DLTensor *tensor);

/* The flags of a new tensor of trace/record.h. */
uint32_t trace_tensor_flags(const struct trace_tensor_facts *facts);

/* Reads the struct of a recorded tensor, which is complete now, if that was not done and it still
 * exists. It may be gone if its release is not seen, unless it is in static memory. True: the
 * struct exists. Call with the lock. */
bool trace_tensor_complete(uint32_t tensor, void *managed);

/* What a copy of a struct shares with it, by which the struct can be found: the context, or without
 * one the complement of the data pointer, which no address of a process equals. Not 0. */
uint64_t trace_tensor_contents(const void *managed, bool is_versioned);

/* trace_tensor_contents() of a struct with this deleter, which may be freed; 0: it is not such a
 * struct. */
uint64_t trace_copy_contents(const void *managed, const void *deleter);

/* The kind of element, as NumPy's dtype.kind. All types from kDLFloat8_e3m4 on are narrow
 * floating-point types. */
char trace_tensor_kind(const struct trace_tensor *tensor);

#endif
