// SPDX-License-Identifier: MIT
/* Resolves a syclobj to a session, and what the USM runtime reports about the session and the
 * memory. */
#include "devices/runtimes.h"
#include "devices/sycl/sycl.h"
#include "model/array.h"
#include "os/peek.h"
#include "protocols/description.h"
#include "worker/capture/sycl.h"
#include "worker/memory/devices.h"
#include "worker/python/c_values.h"

#include <stdlib.h>
#include <string.h>

static int source_from_filter(struct sycl_source *source, PyObject *filter, struct err *err)
{
	Py_ssize_t n_bytes;

	source->filter = PyUnicode_AsUTF8AndSize(filter, &n_bytes);
	object_drop_error();
	if (!source->filter || strlen(source->filter) != (size_t)n_bytes)
		return err_set(err, EXIT_TARGET,
			"the filter string in syclobj contains a NUL character or cannot be encoded as UTF-8");
	return 0;
}

/* A reference of dpctl is a C++ object that begins with two pointers. */
static int source_from_capsule(struct sycl_source *source, PyObject *capsule, struct err *err)
{
	const void *pointers[2];
	const void *reference;

	if (PyCapsule_IsValid(capsule, QUEUE_CAPSULE))
		reference = source->queue = PyCapsule_GetPointer(capsule, QUEUE_CAPSULE);
	else if (PyCapsule_IsValid(capsule, CONTEXT_CAPSULE))
		reference = source->context = PyCapsule_GetPointer(capsule, CONTEXT_CAPSULE);
	else
		return err_set(err, EXIT_TARGET, "the capsule of syclobj has been consumed");
	if (!peek_bytes(pointers, (uintptr_t)reference, sizeof(pointers)))
		return err_set(err, EXIT_TARGET,
			"the capsule of syclobj holds %p, which is not mapped", reference);
	return 0;
}

static int source_from_syclobj_handle(
	struct sycl_source *source, PyObject *syclobj_handle, struct err *err)
{
	PyObject *handle = syclobj_handle ? PyTuple_GetItem(syclobj_handle, 0) : NULL;

	if (!handle)
		return err_set(err, EXIT_TARGET, "syclobj does not identify a queue or a context");
	if (PyUnicode_Check(handle))
		return source_from_filter(source, handle, err);
	return source_from_capsule(source, handle, err);
}

static struct device_session *open_syclobj(struct capture_context *context, struct err *err)
{
	struct sycl_source source = { 0 };
	struct device_session *session;

	if (source_from_syclobj_handle(&source, context->syclobj_handle, err))
		return NULL;
	WITHOUT_GIL(session = sycl_open(&source, err));
	return session;
}

/* Importing dpctl is a separate step, so this one is announced again. */
static int sycl_load_for_context(struct err *err)
{
	if (worker_load_runtime(&sycl_runtime, err))
		return -1;
	if (!worker_step("memory of sycl"))
		return err_set(err, EXIT_TARGET, "skipped: this step terminated an earlier worker");
	return 0;
}

struct device_session *sycl_open_session(
	struct capture_context *context, const struct fact_interface *interface, struct err *err)
{
	(void)interface;
	return sycl_load_for_context(err) ? NULL : open_syclobj(context, err);
}

static struct value *sycl_device_to_value(struct arena *arena, const struct sycl_device *facts)
{
	struct value *device = value_map(arena);

	value_set(arena, device, "name", value_text(arena, facts->name));
	value_set(
		arena, device, "filter", value_text(arena, *facts->filter ? facts->filter : NULL));
	value_set(arena, device, "position",
		facts->position < 0 ? value_null(arena) : value_int(arena, facts->position));
	value_set(arena, device, "aspects", sycl_device_aspects(arena, facts));
	return device;
}

static void record_resolved(
	struct arena *arena, struct value *syclobj, const struct device_session *session)
{
	struct sycl_facts facts;

	WITHOUT_GIL(sycl_describe(session, &facts));
	value_set(
		arena, syclobj, "default_context", c_answer_to_value(arena, facts.default_context));
	value_set(arena, syclobj, "root_device", c_answer_to_value(arena, facts.root_device));
	value_set(arena, syclobj, "in_order", c_answer_to_value(arena, facts.in_order));
	value_set(arena, syclobj, "same_device", c_answer_to_value(arena, facts.same_device));
	if (facts.has_device)
		value_set(arena, syclobj, "device", sycl_device_to_value(arena, &facts.device));
}

/* Memory that the context does not know may belong to another context. */
static void record_other_context(
	struct arena *arena, struct value *syclobj, const struct fact_interface *interface)
{
	struct value *elsewhere;
	struct sycl_device device;
	enum memory_kind kind;
	uint64_t address;
	bool found;

	if (!interface->memory.present || interface->memory.kind != MEMORY_UNKNOWN ||
		!value_to_uint64(value_at(interface->declared, "data[0]"), &address))
		return;
	WITHOUT_GIL(found = sycl_find_memory(address, &kind, &device));
	if (!found)
		return;
	elsewhere = sycl_device_to_value(arena, &device);
	value_set(arena, elsewhere, "kind", value_text(arena, memory_kind_name(kind)));
	value_set(arena, syclobj, "elsewhere", elsewhere);
}

static const char *locate(struct capture_context *context, struct device_session *session,
	struct fact_interface *interface)
{
	struct array array;
	uint64_t low, high, address;
	struct err err;

	if (protocol_find_extent(context->arena, interface, &array, &low, &high, &err))
		return arena_printf(context->arena, "%s", err.message);
	if (!value_to_uint64(value_at(interface->declared, "data[0]"), &address))
		address = array.pointer;
	if (!address && low == high)
		return CAPTURE_NO_ADDRESS;
	return capture_locate(context, session, address, low, high, interface);
}

/* Resolves syclobj and queries the memory; returns NULL, or why the memory is unknown. */
static const char *sycl_ask(
	struct capture_context *context, struct fact_interface *interface, struct value *syclobj)
{
	struct arena *arena = context->arena;
	struct device_session *session;
	const char *reason;
	struct err err;

	if (!syclobj)
		return "the interface has no syclobj";
	if (sycl_load_for_context(&err))
		return arena_printf(arena, "%s", err.message);
	session = open_syclobj(context, &err);
	value_set(arena, syclobj, "resolved", value_bool(arena, session));
	if (value_is_text(value_get(syclobj, "form"), "filter"))
		value_set(arena, syclobj, "selects", value_bool(arena, session));
	if (!session) {
		value_set(arena, syclobj, "resolve_error", value_text(arena, err.message));
		return arena_printf(arena, "%s", err.message);
	}
	reason = locate(context, session, interface);
	record_resolved(arena, syclobj, session);
	record_other_context(arena, syclobj, interface);
	WITHOUT_GIL(session->runtime->close(session));
	return reason;
}

void sycl_query_memory(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	const struct value *syclobj = value_get(interface->details, "syclobj");

	(void)object;
	interface->memory_reason = "the interface could not be read";
	if (interface->status == INTERFACE_OK)
		interface->memory_reason = sycl_ask(context, interface,
			value_is(syclobj, VALUE_MAP) ? (struct value *)syclobj : NULL);
}
