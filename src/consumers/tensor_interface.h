// SPDX-License-Identifier: MIT
/*
 * How a protocol exports the tensors of cases: one row each. What a row cannot express is not one
 * of the protocol's cases; how the worker fills its structs is in worker/consume/.
 */
#ifndef CONSUMERS_TENSOR_INTERFACE_H
#define CONSUMERS_TENSOR_INTERFACE_H

#include "base/arena.h"
#include "model/array.h"
#include "protocols/protocol.h"

#include <stdbool.h>

/* What a consumer does when it does not use the memory any more. */
enum tensor_release {
	RELEASE_DELETER, /* calls the deleter of the struct */
	RELEASE_OBJECT,  /* drops its reference to the object */
	RELEASE_BUFFER,  /* PyBuffer_Release */
};

struct tensor_interface {
	const struct protocol *protocol;
	const char *shown; /* in messages: "__dlpack__", "the buffer" */
	const char *read;  /* the verb for it: a consumer "calls" or "reads" it */
	enum tensor_release release;
	bool has_structs;    /* those of dlpack.h, which have fields that no other protocol has */
	int version;         /* of the dictionary */
	bool has_items;      /* a dictionary, which Python code fills: there are invalid ones */
	bool has_byte_order; /* of the elements */
	bool has_offset;     /* to the first element, in elements */
	enum memory_kind memory; /* of protocol->runtime, which the host can access; host memory
				    otherwise */
	bool (*has_type)(const struct dtype *dtype); /* NULL: every type */
};

/* Ends with a NULL protocol. */
extern const struct tensor_interface tensor_interfaces[];

/* NULL: no tensors have only that protocol, or protocol is NULL. */
const struct tensor_interface *tensor_interface_of(const struct protocol *protocol);

/* The interface of a protocol by its name; NULL: DLPack's. */
const struct tensor_interface *tensor_interface_named(const char *protocol);

/* "dlpack numpy ...": the names of the protocols. */
const char *tensor_interface_names(struct arena *arena);

#endif
