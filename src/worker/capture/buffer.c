// SPDX-License-Identifier: MIT
/*
 * The buffer protocol (PEP 3118): one request for everything that an exporter can report, and
 * requests for less, which show whether the exporter honours the flags.
 */
#include "base/array_size.h"
#include "model/fields.h"
#include "protocols/shared.h"
#include "worker/capture/source.h"
#include "worker/python/c_values.h"

#include <string.h>

#define FULL_REQUEST "PyBUF_FULL_RO"

static const char step[] = "PyObject_GetBuffer(" FULL_REQUEST ")";

struct request {
	const char *name; /* NULL: the end of the table */
	int flags;
};

/* Made again if PyBUF_STRIDES is refused: the exporter may refuse every request but the first. */
static const struct request repeated_requests[] = {
	{ FULL_REQUEST, PyBUF_FULL_RO },
	{ 0 },
};

static const struct request weaker_requests[] = {
	{ "PyBUF_SIMPLE", PyBUF_SIMPLE },
	{ "PyBUF_ND", PyBUF_ND },
	{ "PyBUF_STRIDES", PyBUF_STRIDES },
	{ 0 },
};

/* All other requests without strides, made if the elements are not in C order: an exporter must
 * refuse each of them, and may check only some of the flags. Requests for writable memory are
 * otherwise made only with --calls, because NumPy warns about them. */
static const struct request unstrided_requests[] = {
	{ "PyBUF_FORMAT", PyBUF_FORMAT },
	{ "PyBUF_WRITABLE", PyBUF_WRITABLE },
	{ "PyBUF_WRITABLE|PyBUF_FORMAT", PyBUF_WRITABLE | PyBUF_FORMAT },
	{ "PyBUF_ND|PyBUF_FORMAT", PyBUF_ND | PyBUF_FORMAT },
	{ "PyBUF_CONTIG", PyBUF_CONTIG },
	{ "PyBUF_CONTIG|PyBUF_FORMAT", PyBUF_CONTIG | PyBUF_FORMAT },
	{ 0 },
};

/* --calls */
static const struct request strict_requests[] = {
	{ "PyBUF_WRITABLE", PyBUF_WRITABLE },
	{ "PyBUF_C_CONTIGUOUS", PyBUF_C_CONTIGUOUS },
	{ "PyBUF_F_CONTIGUOUS", PyBUF_F_CONTIGUOUS },
	{ "PyBUF_ANY_CONTIGUOUS", PyBUF_ANY_CONTIGUOUS },
	{ "PyBUF_FULL", PyBUF_FULL },
	{ 0 },
};

static bool buffer_exposes(struct capture_context *context, PyObject *object)
{
	(void)context;
	return PyObject_CheckBuffer(object);
}

static struct value *declare(struct arena *arena, const Py_buffer *view)
{
	struct value *declared = value_map(arena);

	value_set(arena, declared, "buf", c_pointer_to_value(arena, view->buf));
	value_set(arena, declared, "len", value_int(arena, view->len));
	value_set(arena, declared, "itemsize", value_int(arena, view->itemsize));
	value_set(arena, declared, "readonly", value_bool(arena, view->readonly));
	value_set(arena, declared, "ndim", value_int(arena, view->ndim));
	value_set(arena, declared, "format", c_text_to_value(arena, view->format));
	value_set(arena, declared, "shape", c_dimensions_to_value(arena, view->shape, view->ndim));
	value_set(arena, declared, "strides",
		c_dimensions_to_value(arena, view->strides, view->ndim));
	value_set(arena, declared, "suboffsets",
		c_dimensions_to_value(arena, view->suboffsets, view->ndim));
	return declared;
}

/* The names of the fields that are not NULL. */
static struct value *fields_set(struct arena *arena, const Py_buffer *view)
{
	struct value *names = value_list(arena);

	if (view->format)
		value_append(arena, names, value_text(arena, "format"));
	if (view->shape)
		value_append(arena, names, value_text(arena, "shape"));
	if (view->strides)
		value_append(arena, names, value_text(arena, "strides"));
	if (view->suboffsets)
		value_append(arena, names, value_text(arena, "suboffsets"));
	return names;
}

/* An exporter that releases a reference it does not own must not destroy the object while it is
 * captured. */
static void restore_references(PyObject *object, int64_t before)
{
	for (int64_t missing = before - object_references(object); missing > 0; missing--)
		Py_IncRef(object);
}

/* Null if the memory cannot be read, although `set` lists the field. */
static struct value *readable_integers(
	struct arena *arena, const Py_ssize_t *items, const Py_buffer *view)
{
	struct value *integers = c_dimensions_to_value(arena, items, view->ndim);

	return value_is_sequence(integers) ? integers : value_null(arena);
}

static void record_granted(struct arena *arena, struct value *record, const Py_buffer *view)
{
	struct value *format = c_text_to_value(arena, view->format);

	value_set(arena, record, "buf", c_pointer_to_value(arena, view->buf));
	value_set(arena, record, "len", value_int(arena, view->len));
	value_set(arena, record, "itemsize", value_int(arena, view->itemsize));
	value_set(arena, record, "ndim", value_int(arena, view->ndim));
	value_set(
		arena, record, "format", value_is(format, VALUE_TEXT) ? format : value_null(arena));
	value_set(arena, record, "shape", readable_integers(arena, view->shape, view));
	value_set(arena, record, "strides", readable_integers(arena, view->strides, view));
	value_set(arena, record, "set", fields_set(arena, view));
	value_set(arena, record, "readonly", value_bool(arena, view->readonly));
}

/* A request that is granted, and the release of a buffer, must not leave an exception: Python
 * raises SystemError for it. */
static void record_pending_error(struct arena *arena, struct value *record)
{
	if (PyErr_Occurred())
		value_set(arena, record, "error", object_take_error_value(arena));
}

static struct value *begin_record(struct arena *arena, const char *request, const char *outcome)
{
	static const char *const nulls[] = { "error", "buf", "len", "itemsize", "ndim", "format",
		"shape", "strides", "readonly" };
	struct value *record = value_map(arena);

	value_set(arena, record, "request", value_text(arena, request));
	value_set(arena, record, "outcome", value_text(arena, outcome));
	value_set(arena, record, "set", value_list(arena));
	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		value_set(arena, record, nulls[i], value_null(arena));
	return record;
}

static struct value *buffer_make_request(
	struct arena *arena, PyObject *object, const char *name, int flags)
{
	int64_t references = object_references(object);
	struct value *record = begin_record(arena, name, "returned");
	Py_buffer view = { 0 };
	bool granted;

	Py_IncRef(object);
	granted = !PyObject_GetBuffer(object, &view, flags);
	value_set(arena, record, "owned", value_bool(arena, view.obj != NULL));
	if (granted) {
		record_pending_error(arena, record);
		record_granted(arena, record, &view);
		PyBuffer_Release(&view);
		record_pending_error(arena, record);
	} else {
		value_set(arena, record, "outcome",
			value_text(arena,
				PyErr_ExceptionMatches(PyExc_BufferError) ? "refused" : "raised"));
		value_set(arena, record, "error", object_take_error_value(arena));
	}
	restore_references(object, references + 1);
	Py_DecRef(object);
	return record;
}

static bool was_made(const struct value *records, const char *request)
{
	for (size_t i = 0; i < records->n_items; i++)
		if (value_is_text(value_get(records->items[i], "request"), request))
			return true;
	return false;
}

static void make_requests(struct arena *arena, PyObject *object, const struct request *requests,
	struct value *records)
{
	for (; requests->name; requests++) {
		if (was_made(records, requests->name) ||
			!worker_step(arena_printf(arena, "PyObject_GetBuffer(%s)", requests->name)))
			continue;
		value_append(arena, records,
			buffer_make_request(arena, object, requests->name, requests->flags));
		worker_step_done();
	}
}

static bool was_refused(const struct value *records, const char *request)
{
	for (size_t i = 0; i < records->n_items; i++) {
		const struct value *record = records->items[i];

		if (value_is_text(value_get(record, "request"), request))
			return !value_is_text(value_get(record, "outcome"), "returned");
	}
	return false;
}

static struct value *new_details(struct arena *arena, const char *exporter)
{
	struct value *details = value_map(arena);

	value_set(arena, details, "requests", value_list(arena));
	value_set(arena, details, "exporter", value_text(arena, exporter));
	return details;
}

static struct value *make_weaker_requests(
	struct arena *arena, PyObject *object, const struct value *declared, const char *exporter)
{
	struct value *details = new_details(arena, exporter);
	struct value *records = (struct value *)value_get(details, "requests");

	make_requests(arena, object, weaker_requests, records);
	if (was_refused(records, "PyBUF_STRIDES"))
		make_requests(arena, object, repeated_requests, records);
	if (protocol_buffer_is_contiguous(declared, 'C') != ANSWER_YES)
		make_requests(arena, object, unstrided_requests, records);
	return details;
}

static void make_strict_requests(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	const struct value *records = value_get(interface->details, "requests");

	if (value_is(records, VALUE_LIST))
		make_requests(context->arena, object, strict_requests, (struct value *)records);
}

/* The details of a buffer that is not granted, with the only property of the request that the
 * interface does not have. */
static struct value *describe_refusal(struct arena *arena, enum interface_status status)
{
	struct value *details = new_details(arena, NULL);
	struct value *record = begin_record(
		arena, FULL_REQUEST, status == INTERFACE_REFUSED ? "refused" : "raised");

	value_set(arena, record, "owned", value_bool(arena, true));
	value_append(arena, (struct value *)value_get(details, "requests"), record);
	return details;
}

static struct fact_interface *buffer_read_interface(
	struct capture_context *context, PyObject *object)
{
	struct arena *arena = context->arena;
	struct fact_interface *interface;
	Py_buffer view = { 0 };
	const char *exporter = NULL;
	int64_t references;

	if (!worker_step(step))
		return NULL;
	interface = interface_new(arena, &buffer_protocol);
	references = object_references(object);
	Py_IncRef(object);
	if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO)) {
		interface_set_error(arena, interface);
		if (view.obj)
			interface->details = describe_refusal(arena, interface->status);
	} else {
		interface->declared = declare(arena, &view);
		if (view.obj && view.obj != object)
			exporter = object_type_name(arena, view.obj);
		PyBuffer_Release(&view);
		object_drop_error();
	}
	restore_references(object, references + 1);
	Py_DecRef(object);
	worker_step_done();
	if (interface->declared)
		interface->details =
			make_weaker_requests(arena, object, interface->declared, exporter);
	return interface;
}

static enum answer format_holds_objects(
	const struct value *declared, int64_t item_bytes, bool *has_fields)
{
	const char *format = value_text_or(value_get(declared, "format"), "");

	(void)has_fields;
	if (fields_pep3118_hold_objects(format))
		return ANSWER_YES;
	return strchr(format, '{') &&
			       value_int_or(value_get(declared, "itemsize"), -1) == item_bytes
		       ? ANSWER_NO
		       : ANSWER_UNKNOWN;
}

const struct capture buffer_capture = {
	.protocol = &buffer_protocol,
	.exposes = buffer_exposes,
	.read = buffer_read_interface,
	.make_calls = make_strict_requests,
	.open_source = source_open_buffer,
	.holds_objects = format_holds_objects,
};
