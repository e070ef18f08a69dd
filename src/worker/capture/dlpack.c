// SPDX-License-Identifier: MIT
/*
 * __dlpack__ and __dlpack_device__. Without keywords on the command line two calls are made, one
 * without arguments and one that requests a versioned capsule, which is shown if there is one, and
 * each of them again.
 */
#include "worker/capture/dlpack.h"
#include "base/array_size.h"
#include "worker/capture/attribute.h"
#include "worker/capture/cuda.h"
#include "worker/capture/dlpack_exchange.h"
#include "worker/capture/keepalive.h"
#include "worker/capture/source.h"
#include "worker/python/c_values.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"

#include <string.h>

/* Whether the object exposes the method. A property of the type may raise AttributeError for this
 * object, which then does not expose it. */
static bool exposes_method(PyObject *object, const char *method)
{
	/* A class has its instances' methods, which are not an interface of the class. */
	return (object_type_has(object, method) || !PyType_Check(object)) &&
	       attribute_is_there(object, method, method);
}

static bool dlpack_exposes(struct capture_context *context, PyObject *object)
{
	(void)context;
	return exposes_method(object, "__dlpack__") || exposes_method(object, "__dlpack_device__");
}

/* Sets has_device and device_error of details, and device of declared. */
static void dlpack_capture_device(
	struct arena *arena, PyObject *object, struct value *declared, struct value *details)
{
	PyObject *method, *device = NULL;
	int there;

	value_set(arena, details, "has_device", value_null(arena));
	value_set(arena, details, "device_error", value_null(arena));
	value_set(arena, declared, "device", value_null(arena));
	if (!worker_step("__dlpack_device__()"))
		return;
	there = object_attribute(object, "__dlpack_device__", &method);
	if (there > 0)
		device = PyObject_CallNoArgs(method);
	object_close_coroutine(device);
	if (there && !device)
		value_set(arena, details, "device_error", object_take_error_value(arena));
	if (device)
		value_set(arena, declared, "device", object_to_value(arena, device));
	value_set(arena, details, "has_device", value_bool(arena, there > 0));
	Py_DecRef(device);
	Py_DecRef(method);
	worker_step_done();
}

/* The call whose capsule the interface shows, and the other call that returned a capsule. Their
 * results are borrowed: keepalive_release() releases them. */
struct shown {
	struct fact_call call, other_call;
	PyObject *returned, *other;
};

/* Whether a held export is this capsule, or has the same managed tensor. */
static bool is_held(const struct capture_context *context, PyObject *capsule, bool by_tensor)
{
	void *managed = dlpack_managed(context->arena, capsule);
	PyObject *other;

	for (Py_ssize_t i = 0; managed && (other = keepalive_export(context, i)); i++)
		if (by_tensor ? dlpack_managed(context->arena, other) == managed : other == capsule)
			return true;
	return false;
}

/* Takes the call's result and holds it until keepalive_release(). */
static void hold_export(struct capture_context *context, struct fact_call *call, PyObject *returned)
{
	call->returned_again = answer_of(is_held(context, returned, false));
	keepalive_add_export(context, call->step, returned);
}

/* Renames the capsule, so that its destruction does not delete the managed tensor that another
 * capsule has. */
static void disarm(struct arena *arena, PyObject *capsule)
{
	bool is_versioned = dlpack_capsule_kind(arena, capsule) == DLPACK_VERSIONED;

	PyCapsule_SetDestructor(capsule, NULL);
	PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor");
	object_drop_error();
}

/* Makes a call. Returns whether it returned a separate export. */
static bool make_call(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, struct shown *shown)
{
	struct fact_call call;
	PyObject *returned = dlpack_call(context, object, keywords, stream, &call);

	if (returned)
		hold_export(context, &call, returned);
	if (!call.present)
		return false;
	capture_add_call(context, &call);
	if (!shown->call.present || (returned && !shown->returned) ||
		(returned && dlpack_capsule_kind(context->arena, returned) == DLPACK_VERSIONED)) {
		shown->other_call = shown->call;
		shown->other = shown->returned;
		shown->call = call;
		shown->returned = returned;
	} else if (returned) {
		shown->other_call = call;
		shown->other = returned;
	}
	return returned && dlpack_managed(context->arena, returned) &&
	       call.returned_again != ANSWER_YES;
}

/* Repeats the call while the first export is held, as a second consumer would. Recorded if it did
 * not return a separate export; --lifetime tests what happens if both capsules delete one managed
 * tensor. */
static void repeat_call(
	struct capture_context *context, PyObject *object, const struct value *keywords)
{
	struct arena *arena = context->arena;
	struct fact_call call;
	PyObject *returned = dlpack_call_as(context, object, keywords, NULL,
		arena_printf(arena, "%s again", dlpack_call_text(arena, keywords)), &call);

	if (returned && !is_held(context, returned, false) && is_held(context, returned, true))
		disarm(arena, returned);
	if (returned)
		hold_export(context, &call, returned);
	if (call.present && (!returned || !dlpack_managed(arena, returned) ||
				    call.returned_again == ANSWER_YES))
		capture_add_call(context, &call);
}

/* The capsule that is not shown, in the form of declared; null if there is none. */
static struct value *other_capsule(struct arena *arena, const struct shown *shown)
{
	struct value *fact = value_null(arena), *declared;

	if (!shown->other || dlpack_capsule_kind(arena, shown->other) == DLPACK_NONE)
		return fact;
	if (worker_step("struct of the other __dlpack__")) {
		fact = value_map(arena);
		value_set(arena, fact, "call", value_text(arena, shown->other_call.step));
		declared = value_set(arena, fact, "declared", value_map(arena));
		dlpack_read(arena, declared, shown->other);
		value_set(arena, fact, "memory", value_null(arena));
		value_set(arena, fact, "memory_reason", value_null(arena));
		worker_step_done();
	}
	return fact;
}

static void make_default_calls(
	struct capture_context *context, PyObject *object, struct shown *shown)
{
	struct arena *arena = context->arena;
	struct value *plain = value_map(arena), *versioned = value_map(arena);
	bool repeats_plain, repeats_versioned;

	value_set(arena, versioned, "max_version",
		c_pair_to_value(arena, DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION));
	repeats_plain = make_call(context, object, plain, NULL, shown);
	repeats_versioned = make_call(context, object, versioned, NULL, shown);
	if (repeats_plain && worker_has_half_time())
		repeat_call(context, object, plain);
	if (repeats_versioned && worker_has_half_time())
		repeat_call(context, object, versioned);
}

/* A queue or a stream on the device of the object. */
PyObject *dlpack_new_stream(
	struct capture_context *context, PyObject *object, const struct value *declared)
{
	PyObject *module, *device, *queue = NULL;
	int64_t type = value_int_or(value_item(value_get(declared, "device"), 0), -1);
	int64_t id = value_int_or(value_item(value_get(declared, "device"), 1), 0);

	if (type == kDLCUDA || type == kDLCUDAManaged)
		return cuda_new_stream(context, id);
	if (type != kDLOneAPI) {
		PyErr_SetString(PyExc_NotImplementedError,
			"suai creates streams only on oneAPI and CUDA devices");
		return NULL;
	}
	module = import_for_suai("dpctl");
	device = module ? PyObject_GetAttrString(object, "sycl_device") : NULL;
	if (device)
		queue = PyObject_CallMethod(module, "SyclQueue", "O", device);
	Py_DecRef(device);
	Py_DecRef(module);
	return queue;
}

/* A new stream, or the value of the expression for one: a new reference, or NULL with an
 * exception. */
static PyObject *dlpack_make_stream(struct capture_context *context, PyObject *object,
	const struct value *declared, const struct job_stream *stream)
{
	const char *expression = stream->expression;
	PyObject *made = NULL;

	if (!worker_step(expression ? arena_printf(context->arena, "--stream py:%s", expression)
				    : "--stream new"))
		PyErr_SetString(PyExc_RuntimeError,
			"skipped: creating the stream terminated an earlier worker");
	else if (expression)
		made = expression_evaluate(context->names, expression, "<--stream>");
	else
		made = dlpack_new_stream(context, object, declared);
	worker_step_done();
	return made;
}

/* Reports the pending exception as an error of the option --stream, since it is not the
 * object's. */
static void fail_stream(struct capture_context *context, const char *expression)
{
	struct fact_target *target = context->target;
	PyObject *name = expression ? expression_undefined_name() : NULL;

	target->status = name ? STATUS_MISSING : expression ? STATUS_RAISED : STATUS_UNAVAILABLE;
	target->step = expression ? arena_printf(context->arena, "--stream py:%s", expression)
				  : "--stream new";
	if (name) {
		target->wanted = fact_text(context->arena, object_to_value(context->arena, name));
		target->names = module_public_names(context->arena, context->names);
		Py_DecRef(name);
	}
	target->error = object_take_error(context->arena);
}

/* One call with the keywords of the command line. */
static void make_requested_call(struct capture_context *context, PyObject *object,
	const struct value *declared, const struct value *keywords, struct shown *shown)
{
	const struct job_stream *stream = &context->job->dlpack.stream;
	PyObject *made = NULL;

	if (stream->kind == JOB_STREAM_NEW || stream->kind == JOB_STREAM_PYTHON) {
		made = dlpack_make_stream(context, object, declared, stream);
		if (!made) {
			fail_stream(context, stream->expression);
			return;
		}
	}
	make_call(context, object, keywords, made, shown);
	Py_DecRef(made);
}

static void show_call(struct fact_interface *interface, const struct fact_call *call)
{
	interface->status = call->outcome == CALL_RETURNED  ? INTERFACE_OK
			    : call->outcome == CALL_REFUSED ? INTERFACE_REFUSED
							    : INTERFACE_RAISED;
	interface->error = call->error;
}

enum method { METHOD_CALLABLE, METHOD_NOT_CALLABLE, METHOD_UNREADABLE };

/* Whether __dlpack__ can be called; otherwise an exception is pending. It may be None, by which a
 * class declares that it lacks a method, a property's value, or an attribute of an object whose
 * __getattr__ raises another exception than AttributeError. A read that raises BufferError refuses
 * the export, as the calls then show. */
static enum method check_method(struct arena *arena, PyObject *object)
{
	enum method state = METHOD_CALLABLE;
	PyObject *method = NULL;
	int there;

	if (!worker_step("__dlpack__"))
		return METHOD_CALLABLE;
	there = object_attribute(object, "__dlpack__", &method);
	if (there > 0 && !PyCallable_Check(method)) {
		PyErr_Format(PyExc_TypeError, "'%s' object is not callable",
			object_type_name(arena, method));
		state = METHOD_NOT_CALLABLE;
	} else if (there < 0 && !PyErr_ExceptionMatches(PyExc_BufferError)) {
		state = METHOD_UNREADABLE;
	} else {
		object_drop_error();
	}
	Py_DecRef(method);
	worker_step_done();
	return state;
}

static struct fact_interface *dlpack_read_interface(
	struct capture_context *context, PyObject *object)
{
	struct arena *arena = context->arena;
	const struct value *keywords = job_dlpack_to_value(arena, &context->job->dlpack);
	struct fact_interface *interface = interface_new(arena, &dlpack_protocol);
	struct value *declared = value_map(arena), *details = value_map(arena);
	bool has_dlpack = exposes_method(object, "__dlpack__");
	enum method method = METHOD_CALLABLE;
	struct shown shown = { 0 };

	dlpack_capture_device(arena, object, declared, details);
	if (has_dlpack)
		method = check_method(arena, object);
	value_set(arena, details, "has_dlpack",
		value_bool(arena, has_dlpack && method != METHOD_UNREADABLE));
	if (has_dlpack && method == METHOD_CALLABLE && keywords->n_items)
		make_requested_call(context, object, declared, keywords, &shown);
	else if (has_dlpack && method == METHOD_CALLABLE)
		make_default_calls(context, object, &shown);
	if (PyErr_Occurred())
		interface_set_error(arena, interface);
	else if (shown.call.present)
		show_call(interface, &shown.call);
	else if (has_dlpack)
		return NULL;
	object_drop_error();
	if (worker_step("struct of __dlpack__")) {
		dlpack_read(arena, declared, shown.returned);
		worker_step_done();
	}
	value_set(arena, details, "call", value_text(arena, shown.call.step));
	value_set(arena, details, "n_devices", value_null(arena));
	value_set(arena, details, "other_capsule", other_capsule(arena, &shown));
	value_set(arena, details, "exchange",
		dlpack_exchange(arena, object, value_get(declared, "device")));
	value_set(arena, details, "draft_exchange", dlpack_has_draft_exchange(arena, object));
	interface->declared = declared;
	interface->details = details;
	return interface;
}

/* Records in again the exception of __dlpack_device__, or that it returned another value. */
static void read_device_again(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	static const char step[] = "__dlpack_device__() again";
	struct arena *arena = context->arena;
	const struct value *first = value_get(interface->declared, "device");
	struct value *second;
	PyObject *device;

	if (value_is_null(first) || !worker_step(step))
		return;
	device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
	if (!device) {
		interface->again.step = step;
		interface->again.error = object_take_error(arena);
		worker_step_done();
		return;
	}
	object_close_coroutine(device);
	second = object_to_value(arena, device);
	if (!value_equal(first, second))
		fact_texts_add(arena, &interface->again.differs, "device");
	Py_DecRef(device);
	worker_step_done();
}

/* Records in again which fields of the tensor differ from declared, or that no tensor was returned.
 * Memory and strides may differ: each export may be a copy. */
static void compare_export(
	struct arena *arena, struct fact_interface *interface, PyObject *returned)
{
	static const char *const keys[] = { "device", "dtype", "ndim", "shape" };
	const struct value *first = value_get(interface->declared, "dl_tensor"), *tensor;
	struct value *second = value_map(arena);

	if (!value_is(first, VALUE_MAP))
		return;
	if (dlpack_capsule_kind(arena, returned) == DLPACK_NONE) {
		interface->again.returned = object_type_name(arena, returned);
		return;
	}
	dlpack_read(arena, second, returned);
	tensor = value_get(second, "dl_tensor");
	for (size_t i = 0; value_is(tensor, VALUE_MAP) && i < ARRAY_SIZE(keys); i++)
		if (!value_equal(value_get(first, keys[i]), value_get(tensor, keys[i])))
			fact_texts_add(arena, &interface->again.differs,
				arena_printf(arena, "dl_tensor.%s", keys[i]));
}

/* One more export, as another consumer requests it, after the others are released. */
static void dlpack_read_again(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	struct arena *arena = context->arena;
	const char *call = value_text_or(value_get(interface->details, "call"), NULL);
	const struct value *keywords = job_dlpack_to_value(arena, &context->job->dlpack);
	const char *step =
		arena_printf(arena, "%s after the release", call ? call : "__dlpack__()");
	PyObject *returned;

	if (interface->status != INTERFACE_OK || !call || keywords->n_items || !worker_step(step))
		return;
	interface->again = (struct fact_again){ .present = true, .step = step };
	returned = dlpack_export_quietly(object, strcmp(call, "__dlpack__()") != 0);
	if (!returned)
		interface->again.error = object_take_error(arena);
	else
		compare_export(arena, interface, returned);
	worker_step_done();
	if (returned && worker_step(arena_printf(arena, "deleter of %s", step))) {
		dlpack_consume(arena, returned);
		Py_DecRef(returned);
		object_drop_error();
		worker_step_done();
	}
	if (returned)
		read_device_again(context, object, interface);
}

static void dlpack_make_calls(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	dlpack_grid(context, object, interface);
	dlpack_call_exchange(context, object, interface);
}

const struct capture dlpack_capture = {
	.protocol = &dlpack_protocol,
	.exposes = dlpack_exposes,
	.read = dlpack_read_interface,
	.read_again = dlpack_read_again,
	.is_export = true,
	.make_calls = dlpack_make_calls,
	.open_source = source_open_dlpack,
};
