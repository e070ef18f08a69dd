// SPDX-License-Identifier: MIT
/*
 * suai.Array: the object that convert creates. It exports exactly one protocol, owns its memory or
 * a reference to the source's, and lives until its last consumer releases it. An exporter is a
 * member of its protocol's struct capture.
 */
#ifndef WORKER_EXPORT_EXPORTED_H
#define WORKER_EXPORT_EXPORTED_H

#include "worker/memory/memory_owner.h"
#include "worker/python/python.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/array.h"
#include "protocols/protocol.h"

#include <stdint.h>

struct exported {
	PyObject_HEAD struct arena arena; /* of descr and format */
	struct element_array elements;
	const char *origin;        /* what the memory was read as: a protocol, or "npy" */
	int64_t interface_version; /* as asked for; -1: the newest */
	int64_t stream;            /* that the user named, if it is a number; 0: none */
	PyObject *memory_owner;    /* keeps the memory, and the session if that is in one */
	PyObject *session_ref;     /* keeps only the session; NULL: there is none */
	PyObject *weak_references;
};

struct exporter {
	const struct protocol *protocol;
	/*
	 * Fills what this protocol requires and elements lacks (descr, format) from what it has.
	 * EXIT_TARGET with the reason if the protocol cannot express such elements.
	 */
	int (*adapt)(struct arena *arena, struct element_array *elements, struct err *err);
	/* Why this very memory cannot be exported and must be copied; NULL: it can. A NULL
	 * function: any memory can. */
	const char *(*copy_reason)(
		struct arena *arena, const struct array *array, int64_t interface_version);
	bool native_order;        /* a copy must change to this machine's byte order */
	const PyType_Slot *slots; /* of the type, in addition to those of all types; ends with 0 */
};

#define EXPORTER_DECLARE(SYMBOL, NAME, EXPORT) extern const struct exporter SYMBOL##_exporter;
PROTOCOL_LIST(EXPORTER_DECLARE)

/* NULL if convert creates no objects that export the protocol. */
const struct exporter *exporter_find(const char *protocol);

/* "--to numpy or buffer": the protocols that can express these elements, those of host memory
 * first; empty if none can. */
const char *exporter_options(struct arena *arena, const struct element_array *elements);

/*
 * Gives a new object over the memory that elements points to; keeps owner (of the memory and of the
 * session) and origin (static), copies the rest. NULL with a Python exception set.
 */
PyObject *exported_new(const struct exporter *exporter, const struct element_array *elements,
	const char *origin, int64_t interface_version, PyObject *owner);

/* Keeps session_ref, that of the memory's session; stream is the one that the user named, for
 * protocols that report it, or 0. */
void exported_set_session(PyObject *object, PyObject *session_ref, int64_t stream);

/* Derives descr from a PEP 3118 format where the type is a record and has none; -1 with err set. */
int exported_add_descr(struct arena *arena, struct element_array *elements, struct err *err);

/* The typestr of the elements; -1 with a BufferError. */
int exported_typestr(const struct exported *self, char out[DTYPE_TEXT_BYTES]);

/* Waits for the work of the session that the memory is in; -1 with an exception. */
int exported_wait(const struct exported *self);

/* The lowest address that the elements reach, from which consumers of USM count: below the first
 * element if strides are negative. */
uint64_t exported_base(const struct array *array);

/* A tuple of items, each divided by unit. NULL with an exception. */
PyObject *exported_integers(const int64_t *items, int n_items, int64_t unit);

/* The origin of an object from exported_new; NULL for any other. */
const char *exported_origin(PyObject *object);

#endif
