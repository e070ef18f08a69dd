// SPDX-License-Identifier: MIT
/* An interface decoded into struct array: once in the worker and once in the judge, as it is, and
 * as far as its layout can be read if it breaks a rule, so that rules about its layout can run. */
#ifndef PROTOCOLS_DESCRIPTION_H
#define PROTOCOLS_DESCRIPTION_H

#include "protocols/protocol.h"

struct description {
	const struct array *strict; /* of protocol->describe; NULL: it failed with err */
	/*
	 * strict or, if that is NULL, the array of facts that are corrected where the layout does
	 * not depend on them: a list is a tuple, bytes are a typestr, a wrong address is 0, a wrong
	 * flag means read-only; an offset that is not an integer or exceeds the address space is 0;
	 * keys other than shape, typestr, data, strides and offset are valid. A DLPack struct may
	 * omit strides and lack a destructor, NumPy's may have an unknown kind of element; in a
	 * Py_buffer len and format may be wrong, and fields that must be NULL may be set. NULL: it
	 * has none.
	 */
	const struct array *lenient;
	/* If only the element type cannot be decoded: the array of raw bytes of the same size, or,
	 * with has_size false, of 1 byte, as the size is not declared. Otherwise NULL. */
	const struct array *untyped;
	bool has_size;
	struct err err;
};

/*
 * Describes an interface, whose protocol must exist, and keeps the result, which lives in the
 * arena, in interface->description; later calls return it. `declared` and `details` must be
 * complete.
 */
const struct description *protocol_describe(struct arena *arena, struct fact_interface *interface);

/* Copies the strict array; -1 with err set if there is none. */
int protocol_describe_strict(struct arena *arena, struct fact_interface *interface,
	struct array *array, struct err *err);

/* The array as far as it can be read, and the addresses [*low, *high) of its elements, for queries
 * of memory; both are its pointer if the extent is not known. -1 with err set. */
int protocol_find_extent(struct arena *arena, struct fact_interface *interface, struct array *array,
	uint64_t *low, uint64_t *high, struct err *err);

#endif
