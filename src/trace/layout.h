// SPDX-License-Identifier: MIT
/* Where objects of Python have the fields that are read without a function, found in objects that
 * are created for that: versions of CPython differ in it, and state it only for compiled modules.
 * What is not where it is expected is not read. */
#ifndef TRACE_LAYOUT_H
#define TRACE_LAYOUT_H

#include "trace/hidden.h"

#include <stdbool.h>
#include <stddef.h>

enum { GIL_HEAD_BYTES = 16 }; /* larger without a GIL */

/* The bytes before the fields of an object; 0: not known yet, or types, mapping proxies, weak
 * references or built-in functions have other fields than expected. */
extern TRACE_HIDDEN size_t trace_head_bytes;

/* Where a weak reference has the object that it refers to, as its first field; for comparisons
 * only. */
static inline const void *const *trace_weak_field(const void *reference)
{
	return (const void *const *)((const char *)reference + trace_head_bytes);
}

/* The weak reference that has this field. */
static inline void *trace_weak_reference_of(const void *const *field)
{
	return (char *)field - trace_head_bytes;
}

/* Where a tuple has its items; 0: the items of lists and tuples are read by functions, as without a
 * GIL, where another thread may modify a list. */
extern TRACE_HIDDEN size_t trace_tuple_items_offset;

/* Whether the first field of a dictionary is the number of its items. */
extern TRACE_HIDDEN bool trace_has_dictionary_size;

/* Sets these, once. Call with the GIL. Clears errors. */
void trace_layout_find(void);

#endif
