// SPDX-License-Identifier: MIT
/*
 * What convert reads from: one interface of an object, described, with a reference to its memory
 * and, if that is not the host's, its session. The order of preference is that of the protocols.
 */
#ifndef WORKER_CAPTURE_SOURCE_H
#define WORKER_CAPTURE_SOURCE_H

#include "devices/device.h"
#include "worker/capture/capture.h"
#include "worker/memory/memory_owner.h"

struct source {
	const struct protocol *protocol;
	struct element_array elements;
	PyObject *memory_owner;       /* keeps the memory and the session of elements.location */
	PyObject *session_ref;        /* keeps only that session; NULL: there is none */
	struct memory memory;         /* of [low, high) of the elements */
	const char *producer_copied;  /* why the producer already made a copy; NULL: it did not */
	const struct dtype *own_type; /* while it is opened: object_inexpressible_type(); lanes 0:
					 none */
	bool has_own_type; /* elements have that type, of which the interface gives only the size */
	bool is_masked;    /* not opened, because an interface of the object has a mask */
};

/* capture->open_source of protocols. */
int source_open_dictionary(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err);
int source_open_dlpack(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err);
int source_open_buffer(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err);

/* capture->holds_objects of protocols whose `descr` names the fields. */
enum answer source_descr_holds_objects(
	const struct value *declared, int64_t item_bytes, bool *has_fields);

void source_close(struct source *source);

/* Sets err: an interface has a mask. Returns -1. */
int source_refuse_mask(struct err *err);

/* If the dictionary's data is an object with a buffer: -1 with err set unless all elements of array
 * are in it. */
int source_check_buffer(
	const struct fact_interface *interface, const struct array *array, struct err *err);

/* Takes session: makes it the source's, kept by its owner. -1 with err set. */
int source_set_session(struct source *source, struct device_session *session, struct err *err);

/* Sets err from the pending exception, which is cleared: "TypeError: ...". Returns -1. */
int source_fail(struct arena *arena, struct err *err, const char *what);

#endif
