// SPDX-License-Identifier: MIT
/* Arrays in memory that a Python object keeps. */
#ifndef WORKER_MEMORY_MEMORY_OWNER_H
#define WORKER_MEMORY_MEMORY_OWNER_H

#include "worker/python/python.h"

#include "devices/transfer.h"
#include "model/array.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

/* An array with its fields and its memory, which struct array lacks. */
struct element_array {
	struct array array;
	struct memory_location location; /* its session is kept by the owner */
	const struct value *descr; /* NumPy's list of fields of a structure; NULL: no fields, or
				      not known */
	const char *format;        /* PEP 3118, as the source wrote it; NULL: it wrote none */
	bool holds_objects;        /* pointers to Python objects, in fields too */
	bool may_hold_objects;     /* a structure whose fields no interface declares */
};

/*
 * Gives memory aligned to 64 bytes as an object that frees it with its last reference; *address is
 * set. NULL with MemoryError set.
 */
PyObject *memory_owner_allocate(int64_t n_bytes, uint64_t *address);

/* Gives owner as an object: releases it with its last reference, and keeps a pending exception. */
PyObject *memory_owner_new(void *handle, void (*release)(void *handle));

#endif
