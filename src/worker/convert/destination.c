// SPDX-License-Identifier: MIT
/*
 * The destination of the result: the host, the device of --device, otherwise the source's, or the
 * default device of the protocol's runtime; and its stream (--stream).
 */
#include "worker/convert/convert.h"
#include "worker/export/exported.h"
#include "worker/memory/device_session.h"
#include "worker/python/expression.h"

#include "facts/facts.h"
#include "model/runtimes.h"

#include <string.h>

/* Sets the destination to host memory. Pinned and managed memory keeps its DLPack device type. */
static void use_host_memory(struct conversion *conversion)
{
	const struct source *source = &conversion->source;
	const struct device *device = &source->elements.array.device;
	struct destination *destination = &conversion->destination;
	bool keeps = conversion->exporter && !conversion->exporter->protocol->runtime &&
		     !conversion->options->device.runtime && !source->protocol->runtime &&
		     !source->elements.location.session && device->type;

	destination->device = keeps ? *device : (struct device){ DEVICE_CPU, 0 };
	destination->knows_source =
		source->elements.location.host_owns || !array_elements(&source->elements.array);
}

/* Whether the destination's session knows the source's memory as its device's. */
static bool knows_source_memory(const struct conversion *conversion)
{
	const struct source *source = &conversion->source;
	struct device_session *session = conversion->destination.session;
	const struct memory_location *location = &source->elements.location;
	uint64_t pointer = source->elements.array.pointer;
	struct memory memory;
	struct err ignored;
	int rc;

	if (!location->session || location->session->runtime != session->runtime)
		return false;
	if (location->session == session)
		return true;
	if (location->handle) /* a cl_mem of another context */
		return false;
	memory = (struct memory){ .asked_low = source->memory.asked_low,
		.asked_high = source->memory.asked_high };
	WITHOUT_GIL(rc = session->runtime->locate(session, pointer, &memory, &ignored));
	return !rc && memory.kind != MEMORY_UNKNOWN &&
	       fact_int_or(memory.device_id, -1) == conversion->destination.device.id;
}

/* Whether the source's memory has the result's DLPack device type: pinned memory is not device
 * memory. */
static bool has_result_type(const struct conversion *conversion)
{
	const struct destination *destination = &conversion->destination;
	struct device device;
	struct err ignored;

	if (conversion->exporter->protocol->runtime)
		return true;
	return !session_name_device(
		       destination->session, conversion->source.memory.kind, &device, &ignored) &&
	       !strcmp(device.type, destination->device.type);
}

/* Takes session. */
static int set_destination(
	struct conversion *conversion, struct device_session *session, struct err *err)
{
	struct destination *destination = &conversion->destination;
	PyObject *session_ref = session ? session_ref_new(session) : NULL;

	if (!session)
		return -1;
	if (!session_ref) {
		PyErr_Clear();
		return err_set(
			err, EXIT_BUG, "cannot allocate memory for the session of the result");
	}
	Py_DecRef(destination->session_ref);
	destination->session_ref = session_ref;
	destination->session = session;
	destination->kind = session->runtime->device_kind;
	if (session_name_device(session, destination->kind, &destination->device, err))
		return -1;
	destination->knows_source = knows_source_memory(conversion) && has_result_type(conversion);
	return 0;
}

/* Memory without a DLPack device type is copied to memory that has one, on the same device if
 * possible. */
static int set_named_destination(
	struct conversion *conversion, const struct device_runtime *runtime, struct err *err)
{
	struct device device = { conversion->source.elements.array.device.type,
		fact_int_or(conversion->source.memory.device_id, -1) };
	struct device_session *session;
	PyObject *stream = NULL;

	conversion->destination.reason =
		arena_printf(conversion->context->arena, "%s", err->message);
	session = device.id < 0 ? session_open(runtime->name, NULL, err)
				: session_open_device(runtime, &device, &stream, err);
	Py_DecRef(stream);
	if (set_destination(conversion, session, err))
		return -1;
	conversion->destination.knows_source = false;
	return 0;
}

static int use_source_memory(struct conversion *conversion, struct err *err)
{
	const struct source *source = &conversion->source;
	struct destination *destination = &conversion->destination;

	destination->session = source->elements.location.session;
	destination->kind = source->memory.kind == MEMORY_UNKNOWN
				    ? destination->session->runtime->device_kind
			    : source->memory.kind == MEMORY_REGISTERED ? MEMORY_PINNED
								       : source->memory.kind;
	destination->knows_source = true;
	destination->device = source->elements.array.device;
	if (conversion->exporter->protocol->runtime || !source->protocol->runtime)
		return 0; /* DLPack's device type is kept */
	if (!session_name_device(
		    destination->session, destination->kind, &destination->device, err)) {
		/* An array without elements whose device is unknown can be on any. */
		if (destination->device.id < 0)
			destination->device.id = 0;
		return 0;
	}
	return set_named_destination(conversion, destination->session->runtime, err);
}

/* The object of --stream: a new reference; NULL with no exception for a new one. -1 on failure. */
static int evaluate_stream(const struct conversion *conversion, PyObject **stream, struct err *err)
{
	const struct job_stream *option = &conversion->options->stream;
	struct capture_context *context = conversion->context;

	*stream = NULL;
	if (option->kind == JOB_STREAM_PYTHON)
		*stream = expression_evaluate(context->names, option->expression, "<--stream>");
	else if (option->kind == JOB_STREAM_HANDLE)
		*stream = PyLong_FromLongLong(option->handle);
	if (!PyErr_Occurred())
		return 0;
	return source_fail(context->arena, err, "--stream");
}

/* Options that the source contradicts, and an invalid stream, are usage errors. */
static int refuse_options(struct conversion *conversion, struct err *err, const char *why)
{
	conversion->step = "options";
	return err_set(err, EXIT_USAGE, "%s", why);
}

static int destination_take_stream(struct conversion *conversion, struct err *err)
{
	struct destination *destination = &conversion->destination;
	struct device device = destination->device;
	const char *reason = destination->reason;
	enum job_stream_kind kind = conversion->options->stream.kind;
	PyObject *stream;
	int rc;

	if (kind == JOB_STREAM_UNSET || kind == JOB_STREAM_NONE)
		return 0;
	if (!destination->session)
		return refuse_options(conversion, err,
			"--stream cannot be used for a result in host memory, which is complete when convert ends");
	if (evaluate_stream(conversion, &stream, err))
		return -1;
	rc = set_destination(
		conversion, session_open_stream(destination->session, stream, err), err);
	if (rc && (err->code == EXIT_USAGE ||
			  (err->code == EXIT_TARGET && kind == JOB_STREAM_HANDLE)))
		rc = refuse_options(conversion, err,
			arena_printf(conversion->context->arena, "%s", err->message));
	if (!rc && stream && PyLong_Check(stream))
		destination->stream = PyLong_AsLongLong(stream);
	PyErr_Clear();
	Py_DecRef(stream);
	if (!rc && conversion->options->device.runtime && device.id != destination->device.id)
		return refuse_options(conversion, err,
			arena_printf(conversion->context->arena,
				"the stream of --stream is on device %lld, but --device names device %lld",
				(long long)destination->device.id, (long long)device.id));
	destination->reason = reason;
	return rc;
}

/* The runtime of the result's memory, or "host". */
static const char *find_runtime(const struct conversion *conversion)
{
	const char *device = conversion->options->device.runtime;
	const struct device_session *session = conversion->source.elements.location.session;
	const char *runtime =
		conversion->exporter ? conversion->exporter->protocol->runtime : RUNTIME_HOST;

	if (conversion->is_file)
		return RUNTIME_HOST;
	if (runtime)
		return runtime;
	if (device)
		return device;
	return session ? session->runtime->name : RUNTIME_HOST;
}

/* The session of --device, or of the runtime of --to. */
static int open_destination(struct conversion *conversion, const char *runtime, struct err *err)
{
	const struct job_device *device =
		conversion->options->device.runtime ? &conversion->options->device : NULL;
	struct device_session *session = session_open(runtime, device, err);

	if (session || err->code != EXIT_UNAVAILABLE)
		return set_destination(conversion, session, err);
	return err_set(err, EXIT_UNAVAILABLE,
		"%s %s: %s; 'suai devices' lists the available devices",
		device ? "--device" : "--to", device ? device->spelled : conversion->options->to,
		arena_printf(conversion->context->arena, "%s", err->message));
}

int convert_find_destination(struct conversion *conversion, struct err *err)
{
	const struct device_session *session = conversion->source.elements.location.session;
	const char *device = conversion->options->device.runtime;
	const char *runtime = find_runtime(conversion);
	int rc = 0;

	if (!strcmp(runtime, RUNTIME_HOST)) {
		use_host_memory(conversion);
	} else if (!device && session && !strcmp(session->runtime->name, runtime)) {
		rc = use_source_memory(conversion, err);
	} else {
		rc = open_destination(conversion, runtime, err);
	}
	return rc ? rc : destination_take_stream(conversion, err);
}
