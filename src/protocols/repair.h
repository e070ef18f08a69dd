// SPDX-License-Identifier: MIT
/* What can still be read of a dictionary or a struct that breaks a rule, so that what hangs on its
 * layout can be judged. */
#ifndef PROTOCOLS_REPAIR_H
#define PROTOCOLS_REPAIR_H

#include "protocols/protocol.h"

/*
 * As protocol->describe; where that fails, of the facts with what the layout does not hang on put
 * right: a list is a tuple, a wrong address is 0, a wrong flag says read-only; keys other than
 * shape, typestr, data, strides and offset are what the document wants. A struct of DLPack may
 * leave strides out and lack a destructor, one of NumPy have a wrong descr or an unknown kind of
 * element; of a Py_buffer len and format may be wrong, and what must be NULL may be given. Fails
 * with the message of the strict description.
 */
int protocol_describe_somehow(const struct protocol *protocol, struct arena *arena,
	const struct value *interface, struct array *array, bool *is_repaired, struct err *err);

#endif
