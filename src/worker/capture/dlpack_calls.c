// SPDX-License-Identifier: MIT
/* One call of __dlpack__ (array API 2025.12) and its record: arguments, outcome, warnings. */
#include "base/text.h"
#include "worker/capture/dlpack.h"
#include "worker/python/c_values.h"
#include "worker/python/import.h"
#include "worker/python/warnings.h"

#include <dlpack/dlpack.h>
#include <string.h>

/* A value as Python source; {py: EXPR} is EXPR. */
static void write_literal(struct text *out, const struct value *value)
{
	switch (value->kind) {
	case VALUE_BOOL:
		text_add(out, value->boolean ? "True" : "False");
		break;
	case VALUE_INT:
		text_printf(out, "%lld", (long long)value->integer);
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
		text_add(out, "(");
		for (size_t i = 0; i < value->n_items; i++) {
			text_add(out, i ? ", " : "");
			write_literal(out, value->items[i]);
		}
		text_add(out, value->n_items == 1 ? ",)" : ")");
		break;
	case VALUE_MAP:
		text_add(out, value_text_or(value_get(value, "py"), "<new stream>"));
		break;
	case VALUE_TEXT:
		text_printf(out, "'%s'", value_text_or(value, ""));
		break;
	default:
		text_add(out, value->kind == VALUE_NULL ? "None" : "...");
	}
}

const char *dlpack_call_text(struct arena *arena, const struct value *keywords)
{
	struct text text = { 0 };
	const char *copy;

	text_add(&text, "__dlpack__(");
	for (size_t i = 0; i < keywords->n_items; i++) {
		text_add(&text, i ? ", " : "");
		if (*keywords->keys[i])
			text_printf(&text, "%s=", keywords->keys[i]);
		write_literal(&text, keywords->items[i]);
	}
	text_add(&text, ")");
	copy = arena_copy(arena, text.bytes, text.n_bytes);
	text_free(&text);
	return copy;
}

/* A keyword's value as a new object: a sequence is a tuple, a map for stream. */
static PyObject *keyword_object(const struct value *value, PyObject *stream)
{
	PyObject *object, *tuple;

	if (value->kind == VALUE_MAP) {
		Py_IncRef(stream);
		return stream;
	}
	object = object_from_value(value);
	if (!object || !PyList_Check(object))
		return object;
	tuple = PyList_AsTuple(object);
	Py_DecRef(object);
	return tuple;
}

static PyObject *keyword_objects(const struct value *keywords, PyObject *stream)
{
	PyObject *objects = PyDict_New();

	for (size_t i = 0; objects && i < keywords->n_items; i++) {
		PyObject *object;

		if (!*keywords->keys[i])
			continue;
		object = keyword_object(keywords->items[i], stream);
		if (!object || PyDict_SetItemString(objects, keywords->keys[i], object)) {
			Py_DecRef(objects);
			objects = NULL;
		}
		Py_DecRef(object);
	}
	return objects;
}

/* The positional argument in a tuple; otherwise an empty tuple. */
static PyObject *positional_objects(const struct value *keywords)
{
	PyObject *object, *tuple;

	for (size_t i = 0; i < keywords->n_items; i++)
		if (!*keywords->keys[i]) {
			object = object_from_value(keywords->items[i]);
			tuple = object ? PyTuple_Pack(1, object) : NULL;
			Py_DecRef(object);
			return tuple;
		}
	return PyTuple_New(0);
}

static PyObject *call_method(PyObject *object, PyObject *positional, PyObject *keywords)
{
	PyObject *method = keywords ? PyObject_GetAttrString(object, "__dlpack__") : NULL;
	PyObject *returned =
		method && positional ? PyObject_Call(method, positional, keywords) : NULL;

	object_close_coroutine(returned);
	Py_DecRef(method);
	return returned;
}

/* What a consumer reads first from a capsule: version, flags, device and the first element. */
static void record_struct(struct arena *arena, struct fact_call *call, PyObject *returned)
{
	struct value *declared = value_map(arena);
	const struct value *tensor;
	int64_t pair[2];

	dlpack_read(arena, declared, returned);
	tensor = value_get(declared, "dl_tensor");
	call->pointer = dlpack_pointer(tensor);
	if (value_to_int64(value_at(declared, "version[0]"), &pair[0]) &&
		value_to_int64(value_at(declared, "version[1]"), &pair[1]))
		call->version = fact_ints(arena, pair, 2);
	call->flags.known = value_to_uint64(value_get(declared, "flags"), &call->flags.value);
	if (value_to_int64(value_at(tensor, "device.device_type"), &pair[0]) &&
		value_to_int64(value_at(tensor, "device.device_id"), &pair[1]))
		call->device = fact_ints(arena, pair, 2);
}

/* Records the call's result; takes the pending exception. */
static void record_outcome(struct arena *arena, struct fact_call *call, PyObject *returned)
{
	if (!returned) {
		call->outcome =
			PyErr_ExceptionMatches(PyExc_BufferError) ? CALL_REFUSED : CALL_RAISED;
		call->exception = object_builtin_exception(arena);
		call->error = object_take_error(arena);
		return;
	}
	call->outcome = CALL_RETURNED;
	call->returned = object_type_name(arena, returned);
	if (PyCapsule_CheckExact(returned))
		call->capsule = capsule_name(arena, returned);
	record_struct(arena, call, returned);
	call->newer_deleter = dlpack_newer_deleter(arena, returned);
}

PyObject *dlpack_call(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, struct fact_call *call)
{
	return dlpack_call_as(context, object, keywords, stream,
		dlpack_call_text(context->arena, keywords), call);
}

PyObject *dlpack_call_as(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, const char *step, struct fact_call *call)
{
	struct arena *arena = context->arena;
	PyObject *objects, *positional, *returned;
	struct caught_warnings caught;

	*call = (struct fact_call){ .present = false };
	if (!worker_step(step))
		return NULL;
	objects = keyword_objects(keywords, stream);
	*call = (struct fact_call){
		.present = true,
		.step = step,
		.arguments = objects ? object_to_value(arena, objects) : value_map(arena),
		.held = ANSWER_YES,
		.lost = ANSWER_NO,
	};
	caught = warnings_catch();
	positional = positional_objects(keywords);
	returned = call_method(object, positional, objects);
	record_outcome(arena, call, returned);
	call->warnings = warnings_texts(arena, &caught);
	warnings_release(&caught);
	Py_DecRef(positional);
	Py_DecRef(objects);
	worker_step_done();
	return returned;
}

PyObject *dlpack_export_quietly(PyObject *object, bool is_versioned)
{
	PyObject *nothing = PyTuple_New(0), *export;
	PyObject *keywords = is_versioned ? Py_BuildValue("{s:(ii)}", "max_version",
						    DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION)
					  : PyDict_New();
	struct caught_warnings caught = warnings_catch();
	PyObject *type, *exception, *traceback;

	export = call_method(object, nothing, keywords);
	PyErr_Fetch(&type, &exception, &traceback);
	warnings_release(&caught);
	PyErr_Restore(type, exception, traceback);
	Py_DecRef(nothing);
	Py_DecRef(keywords);
	return export;
}
