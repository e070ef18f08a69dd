// SPDX-License-Identifier: MIT
/*
 * __array_interface__ (NumPy's arrays.interface, version 3). If `data` is not a pointer, it is an
 * object with a buffer; if it is absent, the object itself has one. A mask is an object with the
 * same interface.
 */
#include "worker/capture/attribute.h"
#include "worker/capture/source.h"
#include "worker/python/c_values.h"

#include <stdint.h>

/* The memory of an object with a buffer. */
struct data_buffer {
	const void *pointer;
	int64_t n_bytes;
	bool readonly;
};

/* 1, 0 if the object has no buffer, or -1 with an exception set. The request is released again. */
static int request_data_buffer(PyObject *owner, struct data_buffer *buffer)
{
	Py_buffer view;

	if (!PyObject_CheckBuffer(owner))
		return 0;
	if (PyObject_GetBuffer(owner, &view, PyBUF_SIMPLE))
		return -1;
	*buffer = (struct data_buffer){ view.buf, view.len, view.readonly };
	PyBuffer_Release(&view);
	object_drop_error();
	return 1;
}

/* *error: the exception of a failed request for the buffer; otherwise null. */
static struct value *read_buffer(struct arena *arena, PyObject *owner, struct value **error)
{
	struct data_buffer buffer;
	int found = request_data_buffer(owner, &buffer);
	struct value *fact;

	*error = found < 0 ? object_take_error_value(arena) : value_null(arena);
	if (found <= 0)
		return value_null(arena);
	fact = value_map(arena);
	value_set(arena, fact, "pointer", c_pointer_to_value(arena, buffer.pointer));
	value_set(arena, fact, "nbytes", value_int(arena, buffer.n_bytes));
	value_set(arena, fact, "readonly", value_bool(arena, buffer.readonly));
	return fact;
}

static void numpy_set_details(struct arena *arena, struct fact_interface *interface,
	struct value *buffer, struct value *buffer_error, struct value *data,
	struct value *by_index)
{
	struct value *details = value_map(arena);

	value_set(arena, details, "buffer", buffer);
	value_set(arena, details, "buffer_error", buffer_error);
	value_set(arena, details, "data", data);
	value_set(arena, details, "by_index", by_index);
	interface->details = details;
}

/* Records the buffer of owner; if that is not the object itself, `data` becomes an opaque. */
static void numpy_capture_data(struct arena *arena, struct fact_interface *interface,
	PyObject *owner, bool is_object, struct value *by_index)
{
	char *type = object_type_name(arena, owner);
	struct value *error, *buffer = read_buffer(arena, owner, &error);

	numpy_set_details(arena, interface, buffer, error, value_null(arena), by_index);
	if (!is_object)
		value_set(arena, (struct value *)interface->declared, "data",
			value_opaque(arena, arena_printf(arena, "<%s>", type), type));
}

static void numpy_read_dictionary(struct capture_context *context, PyObject *object,
	struct fact_interface *interface, PyObject *dictionary)
{
	struct arena *arena = context->arena;
	struct value *declared = object_to_value(arena, dictionary);
	PyObject *data = PyDict_Check(dictionary) ? PyDict_GetItemString(dictionary, "data") : NULL;
	bool of_object = !data || data == Py_None;
	PyObject *owner = of_object ? object : data;
	struct value *fact, *by_index;

	interface->declared = declared;
	if (!value_is(declared, VALUE_MAP))
		return;
	Py_IncRef(owner);
	attribute_read_mask(arena, declared, dictionary, numpy_protocol.attribute,
		numpy_struct_protocol.attribute);
	fact = data_to_details(arena, dictionary);
	by_index = by_index_to_details(arena, dictionary);
	if (!value_is_null(fact) || !value_is_null(by_index))
		numpy_set_details(
			arena, interface, value_null(arena), value_null(arena), fact, by_index);
	if (PyObject_CheckBuffer(owner) && worker_step("buffer of data")) {
		numpy_capture_data(arena, interface, owner, of_object, by_index);
		worker_step_done();
	}
	Py_DecRef(owner);
}

static struct fact_interface *numpy_read_interface(
	struct capture_context *context, PyObject *object)
{
	PyObject *dictionary;
	struct fact_interface *interface =
		attribute_read(context, object, &numpy_protocol, &dictionary);

	if (dictionary) {
		numpy_read_dictionary(context, object, interface, dictionary);
		Py_DecRef(dictionary);
	}
	return interface;
}

/* Whether a first reading had an object with a writable buffer as `data`, whose address this gives.
 */
static bool has_writable_object(const struct fact_interface *interface, uint64_t *address)
{
	const struct value *buffer = value_get(interface->details, "buffer");
	const struct value *readonly = value_get(buffer, "readonly");

	return value_is(value_get(interface->declared, "data"), VALUE_OPAQUE) &&
	       value_is(readonly, VALUE_BOOL) && !readonly->boolean &&
	       value_to_address(value_get(buffer, "pointer"), address);
}

/* Objects are compared by their memory if it is writable: read-only bytes may be made for each
 * reading. The first reading is held, so that its memory is not used again. */
static void compare_data_objects(
	struct arena *arena, struct fact_interface *interface, PyObject *dictionary)
{
	PyObject *data = PyDict_Check(dictionary) ? PyDict_GetItemString(dictionary, "data") : NULL;
	struct data_buffer again;
	uint64_t first;

	if (!data || !has_writable_object(interface, &first) || !PyObject_CheckBuffer(data) ||
		!worker_step("buffer of data again"))
		return;
	Py_IncRef(data);
	if (request_data_buffer(data, &again) > 0 && !again.readonly && again.n_bytes &&
		(uint64_t)(uintptr_t)again.pointer != first)
		fact_texts_add(arena, &interface->again.differs, "data");
	object_drop_error();
	Py_DecRef(data);
	worker_step_done();
}

static void numpy_read_again(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	PyObject *found = again_read(context, object, interface);

	if (found) {
		again_compare_dictionary(context->arena, interface, found);
		compare_data_objects(context->arena, interface, found);
	}
	Py_DecRef(found);
}

const struct capture numpy_capture = {
	.protocol = &numpy_protocol,
	.read = numpy_read_interface,
	.read_again = numpy_read_again,
	.open_source = source_open_dictionary,
	.holds_objects = source_descr_holds_objects,
};
