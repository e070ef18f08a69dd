// SPDX-License-Identifier: MIT
/*
 * The table of NumPy's C API, through which f2py, Cython and pybind11 pass arrays and copy them
 * silently. Its entries are replaced once NumPy is imported; NumPy itself does not use it.
 */
#ifndef TRACE_NUMPY_API_H
#define TRACE_NUMPY_API_H

#include "trace/hidden.h"
#include "trace/layout.h"
#include "trace/record.h"
#include "trace/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Finds the table if NumPy was imported since the last call. */
void trace_numpy_api_find(void);

/* Replaces its entries, once. */
void trace_numpy_api_replace(void);

/* Offsets from the end of the object header: of the dtype in an array, and of the kind, the byte
 * order and the number of the type in a dtype. They are part of NumPy's ABI. */
enum {
	ARRAY_DESCRIPTOR_OFFSET = 40,
	DESCRIPTOR_KIND_OFFSET = 8,
	DESCRIPTOR_ORDER_OFFSET = 10,
	DESCRIPTOR_NUMBER_OFFSET = 12,
};

/* The type of bytes of an interpreter with a GIL; otherwise, or if that is not known yet, an
 * address at which no type is. */
extern TRACE_HIDDEN const void *trace_bytes_type_with_gil;

/* The type of an object, to compare it only: no reference is taken. It ends the head, also without
 * a GIL. Requires that the head is known. */
static inline const void *trace_type_pointer_after(const void *object, size_t head_bytes)
{
	const void *type;

	memcpy(&type, (const char *)object + head_bytes - sizeof(type), sizeof(type));
	return type;
}

static inline const void *trace_type_pointer(const void *object)
{
	return trace_type_pointer_after(object, trace_head_bytes);
}

/* The elements of an array, from its fields: the attributes of a subclass may be anything, and run
 * code of the program. False: the object is not an array. */
bool trace_array_elements(void *object, struct trace_elements *elements);

/* An integer attribute of an object; -1: none. Clears errors. */
ptrdiff_t trace_integer_attribute(void *object, const char *name);

extern TRACE_HIDDEN void *trace_array_type; /* numpy.ndarray; NULL: NumPy was not found */

/* Types of numbers and strings of Python and NumPy, and that of None, which are never freed: what
 * NumPy converts from their objects is no exchange. Each is at the position that its address
 * determines; of two with the same position, one is missing. */
enum { TRACE_N_SCALAR_TYPES = 128, TRACE_SCALAR_TYPE_DISTANCE = 32 };
extern TRACE_HIDDEN const void *trace_scalar_types[TRACE_N_SCALAR_TYPES];

static inline size_t trace_scalar_type_position(const void *type)
{
	return (uintptr_t)type / TRACE_SCALAR_TYPE_DISTANCE % TRACE_N_SCALAR_TYPES;
}

static inline bool trace_is_scalar_type(const void *type)
{
	return trace_scalar_types[trace_scalar_type_position(type)] == type;
}

/* Counts an array that a consumer received as a result whose data begin at an address; NULL: its
 * elements are unknown. Call without the lock. */
void trace_array_passed(void *source, void *result, uint64_t result_address, uint32_t consumer,
	const struct trace_conversion *conversion);

/* Counts an array that a library returned of its own memory at an address, or as a copy of that,
 * with its cause. Call without the lock. */
void trace_array_exported(
	uint32_t producer, uint64_t address, void *result, enum trace_copy_cause cause);

/* Counts an array whose memory a consumer read, without a verdict. Call without the lock. */
void trace_array_read(void *source, uint32_t consumer, struct trace_call_line *line);

/* The module of NumPy's functions and of its C API, and its name before NumPy 2. */
#define NUMPY_MODULES "numpy._core._multiarray_umath", "numpy.core._multiarray_umath"

/* Whether NumPy was found. */
bool trace_numpy_api_exists(void);

/* The address of the first element of an array that is in the memory of another object, which is
 * not an array; 0: the object is none. *owner is that other object, borrowed. */
uint64_t trace_numpy_api_borrowed(void *object, void **owner);

/* The address of the first element of an array; 0: the object is not one. */
uint64_t trace_numpy_api_address(const void *object);

#endif
