// SPDX-License-Identifier: MIT
/* Interface attributes that a library reads of another one's objects, such as
 * __cuda_array_interface__: the attributes of known types. */
#ifndef TRACE_ATTRIBUTES_H
#define TRACE_ATTRIBUTES_H

/* Replaces the attributes of types that were imported. Call with the GIL and without the lock. */
void trace_attributes_update(void);

/* Replaces the attributes of an object's type, which a function is about to read, once for each
 * type. Call with the GIL and without the lock. */
void trace_attributes_examine(void *object);

/* The type that was examined last, as a rule that of the next object, too. */
extern _Atomic(const void *) trace_last_examined;

#endif
