// SPDX-License-Identifier: MIT
/* What can still be read from a dictionary or a struct that breaks a rule, so that rules about its
 * layout can run. */
#ifndef PROTOCOLS_DESCRIPTION_H
#define PROTOCOLS_DESCRIPTION_H

#include "protocols/protocol.h"

/* Describes an interface, whose protocol must exist, and keeps the result in
 * interface->description, which the functions below use. `declared` and `details` must be complete.
 */
const struct description *protocol_describe_once(
	struct arena *arena, struct fact_interface *interface);

/* The result that the interface keeps, or that of protocol->describe. */
int protocol_describe(const struct fact_interface *interface, struct array *array, struct err *err);

/*
 * As protocol->describe; if that fails, describes the facts after correcting what the layout does
 * not depend on: a list is a tuple, a wrong address is 0, a wrong flag means read-only; an offset
 * that is not an integer or exceeds the address space is 0; keys other than shape, typestr, data,
 * strides and offset are valid. A DLPack struct may omit strides and lack a destructor, NumPy's may
 * have an unknown kind of element; in a Py_buffer len and format may be wrong, and fields that must
 * be NULL may be set. Fails with the message of the strict description.
 */
int protocol_describe_lenient(const struct protocol *protocol, struct arena *arena,
	const struct fact_interface *interface, struct array *array, bool *is_repaired,
	struct err *err);

/*
 * As protocol->describe of an interface of which only the element type cannot be decoded: array
 * gets raw bytes of the same size, or, with *has_size false, of 1 byte, as the size is not
 * declared. -1 if more than the type is wrong.
 */
int protocol_describe_untyped(const struct protocol *protocol, struct arena *arena,
	const struct fact_interface *interface, struct array *array, bool *has_size);

/* The array as far as it can be read, and the addresses [*low, *high) of its elements, for queries
 * of memory; both are its pointer if the extent is not known. -1 with err set. */
int protocol_find_extent(const struct protocol *protocol, struct arena *arena,
	struct fact_interface *interface, struct array *array, uint64_t *low, uint64_t *high,
	struct err *err);

#endif
