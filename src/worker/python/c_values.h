// SPDX-License-Identifier: MIT
/* Capsules and fields of C structs as values; memory behind pointers is read through the kernel. */
#include "worker/python/object.h"
#ifndef WORKER_PYTHON_C_VALUES_H
#define WORKER_PYTHON_C_VALUES_H

/* {name, destructor} of a capsule; any other object as its value. */
struct value *capsule_to_value(struct arena *arena, PyObject *object);

/* The name of a capsule, with bytes that are not UTF-8 escaped; NULL if it has none, or it cannot
 * be read. */
const char *capsule_name(struct arena *arena, PyObject *capsule);

/* n_items integers of 64 bits at address as a tuple, at most ARRAY_MAX_DIMS of them; null for a
 * NULL address, an opaque if they cannot be read. */
struct value *c_integers_to_value(struct arena *arena, const void *address, int64_t n_items);

/* For arrays of a protocol that permits ARRAY_MAX_DIMS dimensions: beyond, an opaque. */
struct value *c_dimensions_to_value(struct arena *arena, const void *address, int64_t n_items);

struct value *c_pair_to_value(struct arena *arena, int64_t first, int64_t second);
struct value *c_answer_to_value(struct arena *arena, enum answer answer); /* unknown: null */
struct value *c_pointer_to_value(struct arena *arena, const void *pointer);

/* A C string, which may be at an invalid address; null for NULL. */
struct value *c_text_to_value(struct arena *arena, const char *text);

/* An opaque that reports that the memory at address cannot be read. */
struct value *c_unreadable(struct arena *arena, const void *address);

#endif
