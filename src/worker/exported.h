// SPDX-License-Identifier: MIT
/*
 * suai.Array: the object that convert makes. It exports exactly one protocol, owns its memory or a
 * reference to the source's, and lives as long as any consumer holds it. A protocol to export is
 * one exporter, one file; the list stands in exported.c.
 */
#ifndef WORKER_EXPORTED_H
#define WORKER_EXPORTED_H

#include "worker/python.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/array.h"
#include "model/value.h"

#include <stdint.h>

/* An array with what struct dtype cannot tell of its elements. */
struct element_array {
	struct array array;
	const struct value *descr; /* NumPy's list of fields of a structure; NULL: no fields, or
				      not known */
	const char *format;        /* PEP 3118, as the source wrote it; NULL: it wrote none */
};

struct exported {
	PyObject_HEAD struct arena arena; /* of descr and format */
	struct element_array elements;
	const char *origin;        /* what the memory was read as: a protocol, or "npy" */
	int64_t interface_version; /* as asked for; -1: the newest */
	PyObject *owner;           /* keeps the memory */
	PyObject *weak_references;
};

struct exporter {
	const char *protocol;
	/*
	 * Fills the words of this protocol that elements lacks (descr, format) from those it has.
	 * EXIT_TARGET, saying why, where the protocol has no word for such elements at all.
	 */
	int (*adapt)(struct arena *arena, struct element_array *elements, struct err *err);
	/* Why this very memory cannot be exported and must be copied; NULL: it can. A NULL
	 * function: any memory can. */
	const char *(*copy_reason)(
		struct arena *arena, const struct array *array, int64_t interface_version);
	bool native_order;        /* a copy must change to this machine's byte order */
	const PyType_Slot *slots; /* of the type, beside those that all share; ends with 0 */
};

/* NULL: suai cannot make objects of that protocol. */
const struct exporter *exporter_find(const char *protocol);

/* "--to numpy, buffer": which protocols can say such elements; empty where none can. */
const char *exporter_options(struct arena *arena, const struct element_array *elements);

/*
 * Gives a new object over the memory that elements points to; keeps owner and origin (static),
 * copies the rest. NULL with a Python exception set.
 */
PyObject *exported_new(const struct exporter *exporter, const struct element_array *elements,
	const char *origin, int64_t interface_version, PyObject *owner);

/* The origin of an object that exported_new gave; NULL of any other. */
const char *exported_origin(PyObject *object);

/*
 * Gives memory aligned to 64 bytes as an object that frees it with its last reference;
 * *address is where. NULL with MemoryError set.
 */
PyObject *exported_allocate(int64_t n_bytes, uint64_t *address);

/* Gives owner as an object: releases it with its last reference, and keeps a pending exception. */
PyObject *exported_hold(void *handle, void (*release)(void *handle));

#endif
