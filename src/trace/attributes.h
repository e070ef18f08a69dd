// SPDX-License-Identifier: MIT
/* Interface attributes, such as __cuda_array_interface__, that a library reads from objects of
 * another library. */
#ifndef TRACE_ATTRIBUTES_H
#define TRACE_ATTRIBUTES_H

#include "trace/hidden.h"
#include "trace/numpy_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Replaces the attributes of types that were imported. Call with the GIL and without the lock. */
void trace_attributes_update(void);

/* Replaces the interface attributes of the type of an object that a function is about to read,
 * once for each type. Call with the GIL and without the lock. */
void trace_attributes_examine(void *object);

/* The type that was examined last, which is usually that of the next object as well, and a weak
 * reference to it if it can be freed. */
extern TRACE_HIDDEN _Atomic(const void *) trace_last_examined;
extern TRACE_HIDDEN _Atomic(void *) trace_last_reference;

/* Whether the type of an object is the one that was examined last. */
static inline bool trace_attributes_are_known(const void *object)
{
	const void *type = trace_head_bytes ? trace_type_pointer(object) : NULL, *reference;

	if (!type || type != trace_last_examined)
		return false;
	reference = trace_last_reference;
	return !reference || *trace_weak_field(reference) == type;
}

#endif
