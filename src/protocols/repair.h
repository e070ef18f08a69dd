// SPDX-License-Identifier: MIT
/* What can still be read of a dictionary or a struct that breaks a rule, so that what hangs on its
 * layout can be judged. */
#ifndef PROTOCOLS_REPAIR_H
#define PROTOCOLS_REPAIR_H

#include "protocols/protocol.h"

/* Describes an interface, whose protocol exists, and keeps the result in interface->description,
 * which the functions below use. `declared` and `details` must be complete. */
const struct description *protocol_describe_once(
	struct arena *arena, struct fact_interface *interface);

/* The result that the interface keeps, or that of protocol->describe. */
int protocol_describe(const struct fact_interface *interface, struct array *array, struct err *err);

/*
 * As protocol->describe; where that fails, of the facts with what the layout does not hang on put
 * right: a list is a tuple, a wrong address is 0, a wrong flag says read-only; an offset that
 * is no integer or leads out of the address space is 0; keys other than shape, typestr, data,
 * strides and offset are what the document wants. A struct of DLPack may leave strides out and lack
 * a destructor, one of NumPy have an unknown kind of element; of a Py_buffer len
 * and format may be wrong, and what must be NULL may be given. Fails with the message of the strict
 * description.
 */
int protocol_describe_lenient(const struct protocol *protocol, struct arena *arena,
	const struct fact_interface *interface, struct array *array, bool *is_repaired,
	struct err *err);

/*
 * As protocol->describe of an interface whose element type alone cannot be decoded: the type of
 * array is a stand-in of as many bytes, or, with *has_size false, of 1 byte, as the size is not
 * declared. -1 where more than the type is wrong.
 */
int protocol_describe_untyped(const struct protocol *protocol, struct arena *arena,
	const struct fact_interface *interface, struct array *array, bool *has_size);

/* What memory is asked about: array as far as it can be read, and the addresses [*low, *high) of
 * its elements; both are its pointer where the extent is not known. -1 with err set. */
int protocol_find_extent(const struct protocol *protocol, struct arena *arena,
	struct fact_interface *interface, struct array *array, uint64_t *low, uint64_t *high,
	struct err *err);

#endif
