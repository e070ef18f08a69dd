// SPDX-License-Identifier: MIT
/*
 * DLPack as a source: the capsule is consumed as a consumer does, and its deleter called when the
 * last reference is released. On a device, suai passes a stream of its session to the producer. If
 * suai has no runtime for it, it requests a copy on the CPU, the one target that every producer
 * must support (array API 2023.12, dl_device).
 */
#include "worker/capture/source.h"

#include "protocols/protocol.h"
#include "worker/capture/dlpack.h"
#include "worker/memory/device_session.h"
#include "worker/python/c_values.h"

#include <dlpack/dlpack.h>
#include <string.h>

static void release_legacy(void *handle)
{
	DLManagedTensor *managed = handle;

	if (dlpack_can_delete((uint64_t)(uintptr_t)managed->deleter))
		managed->deleter(managed);
}

static void release_versioned(void *handle)
{
	DLManagedTensorVersioned *managed = handle;

	if (dlpack_can_delete((uint64_t)(uintptr_t)managed->deleter))
		managed->deleter(managed);
}

/* Renames the capsule, whose own destructor then does not delete the struct. */
static PyObject *consume(PyObject *capsule, enum dlpack_capsule kind)
{
	bool versioned = kind == DLPACK_VERSIONED;
	void (*release)(void *) = versioned ? release_versioned : release_legacy;
	void *managed =
		PyCapsule_GetPointer(capsule, versioned ? "dltensor_versioned" : "dltensor");
	PyObject *owner;

	if (!managed ||
		PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor"))
		return NULL;
	owner = memory_owner_new(managed, release);
	if (!owner)
		release(managed);
	return owner;
}

/* The arguments of a call. */
struct dlpack_request {
	bool versioned, on_cpu;
	struct device device; /* the result of __dlpack_device__(); type NULL: not known */
	PyObject *stream;     /* or NULL */
};

static struct value *keywords(struct arena *arena, const struct dlpack_request *request)
{
	struct value *map = value_map(arena), *stream = value_map(arena);

	if (request->versioned)
		value_set(arena, map, "max_version",
			c_pair_to_value(arena, DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION));
	if (request->on_cpu)
		value_set(arena, map, "dl_device", c_pair_to_value(arena, kDLCPU, 0));
	if (request->stream) {
		value_set(arena, stream, "py", value_text(arena, "<suai's stream>"));
		value_set(arena, map, "stream", stream);
	}
	return map;
}

/*
 * A producer older than 2023.12 does not accept max_version, and others no stream of this type:
 * after a TypeError they are called with fewer arguments.
 */
static PyObject *call_dlpack(struct capture_context *context, PyObject *object,
	struct dlpack_request request, struct fact_call *call)
{
	PyObject *returned = dlpack_call(
		context, object, keywords(context->arena, &request), request.stream, call);

	if (call->present)
		capture_add_call(context, call);
	if (returned || request.on_cpu || (!request.versioned && !request.stream) ||
		!fact_text_is(call->error.type, "TypeError"))
		return returned;
	if (request.versioned)
		request.versioned = false;
	else
		request.stream = NULL;
	return call_dlpack(context, object, request, call);
}

/* Lets the array begin at byte_offset, for data that is a handle. */
static void point_into_handle(struct element_array *elements, const struct value *declared)
{
	const struct value *tensor = value_get(declared, "dl_tensor");

	value_to_address(value_get(tensor, "data"), &elements->location.handle);
	elements->array.pointer = 0;
	value_to_uint64(value_get(tensor, "byte_offset"), &elements->array.pointer);
}

/* Opens the session of a handle. Arrays of TVM have a pointer to TVM's own descriptor there, on
 * which OpenCL crashes. */
static struct device_session *open_by_handle(struct capture_context *context, PyObject *object,
	const struct source *source, struct err *err)
{
	const struct device_runtime *runtime =
		device_runtime_of_type(source->elements.array.device.type);
	struct device_session *session = NULL;

	if (!strncmp(object_type_name(context->arena, object), "tvm.", 4))
		err_set(err, EXIT_TARGET,
			"DLTensor.data of a TVM array on OpenCL points to a TVM descriptor and is not a cl_mem");
	else if (!worker_step("the handle of DLTensor.data"))
		err_set(err, EXIT_TARGET,
			"skipped: the handle in DLTensor.data terminated an earlier worker");
	else
		session = session_open_handle(runtime, source->elements.location.handle, err);
	worker_step_done();
	return session;
}

static int describe_capsule(
	struct capture_context *context, PyObject *capsule, struct source *source, struct err *err)
{
	struct array *array = &source->elements.array;
	struct value *declared = value_map(context->arena);
	const struct device_runtime *runtime;

	value_set(context->arena, declared, "device", value_null(context->arena));
	dlpack_read(context->arena, declared, capsule);
	if (dlpack_protocol.describe(
		    &(struct fact_interface){ .declared = declared }, array, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	runtime = device_runtime_of_type(array->device.type);
	if (runtime && runtime->data_is_handle)
		point_into_handle(&source->elements, declared);
	return 0;
}

/* Sets err to the reason why a call returned nothing. Returns -1. */
static int fail_call(struct arena *arena, const struct fact_call *call, struct err *err)
{
	if (!call->present)
		return err_set(err, EXIT_TARGET,
			"skipped: calling __dlpack__ terminated an earlier worker");
	return err_set(err, EXIT_TARGET, "%s: %s", call->step,
		fact_exception(arena, call->error.type, call->error.message));
}

/* Consumes the tensor that was described, if its memory is in the session that was opened for it,
 * or on the host. */
static int hold(struct source *source, PyObject *capsule, enum dlpack_capsule kind,
	struct device_session *session, struct err *err)
{
	const struct device *device = &source->elements.array.device;

	if (!session && !device_type_named(device->type)->is_host_accessible)
		return err_set(err, EXIT_UNAVAILABLE, "this build does not support %s memory",
			device->type ? device->type : "such");
	if (session && device_runtime_of_type(device->type) != session->runtime)
		return err_set(err, EXIT_TARGET,
			"the capsule declares a %s device, but __dlpack_device__() returned a %s device",
			device->type ? device->type : "unknown", session->runtime->title);
	source->memory_owner = consume(capsule, kind);
	if (source->memory_owner)
		return 0;
	object_drop_error();
	return err_set(err, EXIT_TARGET, "the capsule cannot be consumed");
}

/* Whether a capsule declares as memory of the CPU what __dlpack_device__() declares as other memory
 * of the host, as PyTorch does for pinned memory. */
static bool is_of_host(const struct device *device, const struct device *of_capsule)
{
	return device->type && device_type_named(device->type)->is_host_accessible &&
	       of_capsule->type && !strcmp(of_capsule->type, DEVICE_CPU);
}

/* Makes one call, describes its tensor and consumes it. Takes session. */
static int take(struct capture_context *context, PyObject *object,
	const struct dlpack_request *request, struct device_session *session, struct source *source,
	struct err *err)
{
	struct fact_call call;
	PyObject *capsule = call_dlpack(context, object, *request, &call);
	enum dlpack_capsule kind;
	int rc = -1;

	if (!capsule) {
		fail_call(context->arena, &call, err);
		goto out;
	}
	kind = dlpack_capsule_kind(context->arena, capsule);
	if (kind == DLPACK_NONE)
		err_set(err, EXIT_TARGET, "__dlpack__ did not return a DLPack capsule");
	else if (!describe_capsule(context, capsule, source, err))
		rc = 0;
	if (!rc && source->elements.location.handle) {
		session = open_by_handle(context, object, source, err);
		rc = session ? 0 : -1;
	}
	if (!rc && session && is_of_host(&request->device, &source->elements.array.device)) {
		WITHOUT_GIL(session->runtime->close(session));
		session = NULL;
	}
	if (!rc)
		rc = hold(source, capsule, kind, session, err);
	if (!rc && session)
		rc = source_set_session(source, session, err);
	if (!rc)
		session = NULL;
out:
	if (session)
		WITHOUT_GIL(session->runtime->close(session));
	object_drop_error();
	Py_DecRef(capsule);
	return rc;
}

/* The result of __dlpack_device__(); type NULL if it is invalid. */
static struct device device_of_producer(PyObject *object)
{
	struct dlpack_device reported;

	if (!worker_step("__dlpack_device__()"))
		return (struct device){ NULL, -1 };
	reported = dlpack_read_device(object);
	worker_step_done();
	return (struct device){ device_type_name(reported.type), reported.id };
}

/* Takes a copy on the CPU, which the producer makes of memory for which this machine has no
 * runtime. */
static int take_copy(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err)
{
	const struct dlpack_request request = { .versioned = true, .on_cpu = true };
	struct device device = source->elements.array.device;
	struct err first = *err, second;

	source->elements.location.handle = 0;
	if (take(context, object, &request, NULL, source, &second))
		return err_set(err, EXIT_UNAVAILABLE,
			"%s; the producer did not copy the elements to the CPU: %s", first.message,
			second.message);
	source->producer_copied = arena_printf(context->arena,
		"the memory is on %s:%lld, and its producer copied it to the CPU", device.type,
		(long long)device.id);
	return 0;
}

int source_open_dlpack(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err)
{
	struct device device = device_of_producer(object);
	const struct device_runtime *runtime = device_runtime_of_type(device.type);
	bool opens_device = runtime && !runtime->data_is_handle;
	struct dlpack_request request = { .versioned = true, .device = device };
	struct device_session *session = NULL;
	struct err lacking;
	int rc;

	err_set(&lacking, EXIT_TARGET, "skipped: opening the device terminated an earlier worker");
	if (opens_device && worker_step(arena_printf(context->arena, "device of %s", device.type)))
		session = session_open_device(runtime, &device, &request.stream, &lacking);
	worker_step_done();
	rc = take(context, object, &request, session, source, err);
	Py_DecRef(request.stream);
	if (rc && err->code == EXIT_UNAVAILABLE && source->elements.array.device.type) {
		if (opens_device && !session)
			*err = lacking;
		rc = take_copy(context, object, source, err);
	}
	return rc;
}
