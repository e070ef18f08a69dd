// SPDX-License-Identifier: MIT
/* What the CUDA driver reports about an interface's memory and stream. */
#include "devices/runtimes.h"
#include "facts/facts.h"
#include "model/cuda_streams.h"
#include "os/maps.h"
#include "protocols/description.h"
#include "worker/capture/cuda.h"
#include "worker/capture/keepalive.h"
#include "worker/python/c_values.h"

#include <string.h>

/* The map `details` of a CUDA interface, with all keys. */
static struct value *details_of(struct arena *arena, struct fact_interface *interface)
{
	struct value *details;

	if (interface->details)
		return (struct value *)interface->details;
	details = value_map(arena);
	value_set(arena, details, "mapping", value_bool(arena, false));
	value_set(arena, details, "environment", value_map(arena));
	value_set(arena, details, "driver", value_null(arena));
	value_set(arena, details, "stream", value_null(arena));
	interface->details = details;
	return details;
}

static void record_driver(struct arena *arena, struct fact_interface *interface, uint64_t address)
{
	struct value *driver = value_map(arena);
	struct cuda_facts facts;

	WITHOUT_GIL(cuda_query_driver(address, &facts));
	value_set(arena, driver, "current_device", value_int(arena, facts.current_device));
	value_set(arena, driver, "peer_access", c_answer_to_value(arena, facts.peer_access));
	value_set(
		arena, driver, "pageable_access", c_answer_to_value(arena, facts.pageable_access));
	value_set(arena, details_of(arena, interface), "driver", driver);
}

/* Reads the stream of an interface of version 3: 1, 2 or a handle. False: it names none. */
static bool read_stream(const struct fact_interface *interface, uint64_t *handle)
{
	return value_to_uint64(value_get(interface->declared, "stream"), handle) && *handle;
}

static void record_stream(struct arena *arena, struct fact_interface *interface)
{
	struct cuda_stream_facts facts;
	struct value *stream;
	uint64_t handle;

	if (!read_stream(interface, &handle) || !worker_step("stream of cuda"))
		return;
	WITHOUT_GIL(cuda_query_stream(handle, &facts));
	stream = value_map(arena);
	value_set(arena, stream, "valid", c_answer_to_value(arena, facts.valid));
	value_set(arena, stream, "error", value_text(arena, *facts.error ? facts.error : NULL));
	value_set(arena, stream, "device",
		facts.device < 0 ? value_null(arena) : value_int(arena, facts.device));
	value_set(arena, details_of(arena, interface), "stream", stream);
}

static struct device_session *open_address(uint64_t address, struct err *err)
{
	struct cuda_source source = { .address = address, .device = -1 };
	struct device_session *session;

	WITHOUT_GIL(session = cuda_open(&source, err));
	return session;
}

static const char *cuda_ask(struct capture_context *context, struct fact_interface *interface)
{
	struct device_claim claim;
	struct array array;
	uint64_t low, high;
	const char *reason;
	struct err err;

	if (interface->status != INTERFACE_OK)
		return "the interface could not be read";
	if (protocol_find_extent(context->arena, interface, &array, &low, &high, &err))
		return arena_printf(context->arena, "%s", err.message);
	claim = (struct device_claim){ .device_id = -1, .address = array.pointer };
	reason = capture_query_runtime(context, &cuda_runtime, interface, &claim, low, high);
	if (!reason || !cuda_load(&err)) {
		record_driver(context->arena, interface, array.pointer);
		record_stream(context->arena, interface);
	}
	return reason;
}

void cuda_query_memory(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	(void)object;
	interface->memory_reason = cuda_ask(context, interface);
}

void cuda_refine_memory(struct memory *memory)
{
	struct device_session *session;
	struct memory told;
	struct err ignored;
	int rc = -1;

	if (!memory->asked_low || !cuda_is_running())
		return;
	session = open_address(memory->asked_low, &ignored);
	if (!session)
		return;
	told = (struct memory){
		.present = true, .asked_low = memory->asked_low, .asked_high = memory->asked_high
	};
	WITHOUT_GIL(rc = session->runtime->locate(session, memory->asked_low, &told, &ignored);
		    session->runtime->close(session));
	if (rc || told.kind == MEMORY_UNKNOWN)
		return;
	memcpy(told.mapping, memory->mapping, sizeof(told.mapping));
	told.readable = memory->readable;
	told.writable = memory->writable;
	*memory = told;
}

/* Waits for the stream that the interface names or, if it cannot name one (version 2 and before),
 * for the legacy default stream. */
struct device_session *cuda_open_session(
	struct capture_context *context, const struct fact_interface *interface, struct err *err)
{
	const struct value *declared = interface->declared;
	bool can_name =
		value_int_or(value_get(declared, "version"), 0) >= CUDA_INTERFACE_WITH_STREAM;
	struct cuda_source source = {
		.device = -1, .has_stream = true, .stream = CUDA_STREAM_LEGACY
	};
	struct device_session *session;

	(void)context;
	if (!value_to_uint64(value_at(declared, "data[0]"), &source.address)) {
		err_set(err, EXIT_TARGET, "data[0] is not an address");
		return NULL;
	}
	if (can_name)
		source.has_stream = read_stream(interface, &source.stream);
	WITHOUT_GIL(session = cuda_open(&source, err));
	return session;
}

struct made_stream {
	uint64_t handle;
	int64_t device;
};

static void end_stream(PyObject *capsule)
{
	struct made_stream *made = PyCapsule_GetPointer(capsule, "suai.stream");

	if (made)
		WITHOUT_GIL(cuda_stream_end(made->handle, made->device));
	PyMem_Free(made);
}

PyObject *cuda_new_stream(struct capture_context *context, int64_t device)
{
	struct made_stream *made = PyMem_Malloc(sizeof(*made));
	PyObject *capsule;
	struct err err;
	int rc;

	if (!made)
		return PyErr_NoMemory();
	made->device = device;
	WITHOUT_GIL(rc = cuda_stream_new(device, &made->handle, &err));
	if (rc) {
		PyMem_Free(made);
		PyErr_SetString(PyExc_RuntimeError, err.message);
		return NULL;
	}
	capsule = PyCapsule_New(made, "suai.stream", end_stream);
	if (!capsule) {
		WITHOUT_GIL(cuda_stream_end(made->handle, made->device));
		PyMem_Free(made);
		return NULL;
	}
	keepalive_add(context, capsule);
	Py_DecRef(capsule);
	return PyLong_FromUnsignedLongLong(made->handle);
}
