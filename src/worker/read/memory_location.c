// SPDX-License-Identifier: MIT
/*
 * The memory of an interface, as its facts report it: the host's; or a device's whose runtime knows
 * all of the extent and opens a session for it.
 */
#include "worker/read/memory_location.h"

#include "base/text.h"
#include "facts/facts.h"
#include "protocols/description.h"
#include "protocols/protocol.h"
#include "worker/capture/self_reported.h"
#include "worker/capture/source.h"
#include "worker/memory/device_session.h"
#include "worker/memory/devices.h"
#include "worker/process/step.h"

#include <stdlib.h>
#include <string.h>

/* One interface that can be decoded. */
struct candidate {
	const struct fact_interface *interface;
	struct memory memory; /* by NULL: unknown */
	uint64_t low, high;
	struct elements *elements;
};

static bool is_requested_interface(const char *reader)
{
	const char *wanted = getenv("SUAI_READ");

	return wanted && !strcmp(wanted, reader);
}

/* Whether the runtime or kernel that was queried knows all of the extent. */
static bool memory_location_is_known(const struct candidate *candidate)
{
	const struct memory *memory = &candidate->memory;

	if (!memory->by || memory->asked_low != candidate->low ||
		memory->asked_high != candidate->high || memory->readable == ANSWER_NO)
		return false;
	return memory->readable == ANSWER_YES ||
	       (memory->low_inside == ANSWER_YES && memory->high_inside == ANSWER_YES);
}

/* The runtime that knows the memory; NULL if none does. */
static const struct device_runtime *runtime_of(const struct candidate *candidate)
{
	return candidate->memory.kind != MEMORY_UNKNOWN
		       ? device_runtime_of_locator(candidate->memory.by)
		       : NULL;
}

static bool memory_location_host_reaches(const struct candidate *candidate)
{
	const struct device_runtime *runtime = runtime_of(candidate);

	return candidate->low == candidate->high ||
	       (memory_location_is_known(candidate) &&
		       candidate->memory.host_accessible == ANSWER_YES &&
		       !(runtime && runtime->reads_host_memory));
}

/* --- by a device --- */

static void memory_location_close(struct device_session *session)
{
	WITHOUT_GIL(session->runtime->close(session));
}

/* The session that the interface itself names, otherwise that of its declared device or address. */
static struct device_session *open_declared(struct capture_context *context,
	const struct device_runtime *runtime, const struct candidate *candidate, struct err *err)
{
	const struct array *array = &candidate->elements->array;
	const struct device_claim claim = { .device_id = array->device.id,
		.address = array->pointer };
	const struct capture *capture = capture_find(candidate->interface->protocol);
	struct device_session *session;

	if (capture->open_session)
		return capture->open_session(context, candidate->interface, err);
	if (worker_load_runtime(runtime, err))
		return NULL;
	WITHOUT_GIL(session = runtime->open_memory(&claim, err));
	return session;
}

/* Shared memory resides where it was used last: it is read by the device unless that is the CPU. */
static bool prefers_device(struct device_session *session, const struct candidate *candidate)
{
	const struct device_runtime *runtime = session->runtime;
	bool is_cpu = false;

	if (candidate->elements->location.handle || !memory_location_host_reaches(candidate) ||
		is_requested_interface("kernel"))
		return true;
	if (candidate->memory.kind != MEMORY_USM_SHARED || is_requested_interface("host"))
		return false;
	WITHOUT_GIL(if (runtime->is_cpu) is_cpu = runtime->is_cpu(session));
	return !is_cpu;
}

/* A handle in DLTensor.data, which was not queried before. */
static struct device_session *open_handle(struct capture_context *context, PyObject *object,
	const struct device_runtime *runtime, struct candidate *candidate, struct err *err)
{
	const struct value *tensor = value_get(candidate->interface->declared, "dl_tensor");
	struct array *array = &candidate->elements->array;
	struct memory_location *location = &candidate->elements->location;
	struct device_session *session;
	int rc;

	if (!value_to_address(value_get(tensor, "data"), &location->handle) || !location->handle ||
		!strncmp(object_type_name(context->arena, object), "tvm.", 4))
		return NULL;
	session = session_open_handle(runtime, location->handle, err);
	if (!session)
		return NULL;
	array->pointer -= location->handle;
	candidate->memory = (struct memory){ .present = true,
		.asked_low = candidate->low - location->handle,
		.asked_high = candidate->high - location->handle };
	WITHOUT_GIL(
		rc = session->runtime->locate(session, array->pointer, &candidate->memory, err));
	candidate->low -= location->handle;
	candidate->high -= location->handle;
	if (!rc && memory_location_is_known(candidate))
		return session;
	memory_location_close(session);
	return NULL;
}

static struct device_session *open_session(struct capture_context *context, PyObject *object,
	struct candidate *candidate, struct err *err)
{
	const struct device_runtime *runtime =
		device_runtime_of_type(candidate->elements->array.device.type);

	if (!candidate->memory.by && runtime && runtime->data_is_handle)
		return open_handle(context, object, runtime, candidate, err);
	runtime = runtime_of(candidate);
	if (!runtime || runtime->data_is_handle || !memory_location_is_known(candidate))
		return NULL;
	return open_declared(context, runtime, candidate, err);
}

static bool announce_step(const char *step, struct err *why)
{
	if (worker_step(step))
		return true;
	err_set(why, EXIT_TARGET, "skipped: this step terminated an earlier worker");
	return false;
}

/* Waits for the producer's work, also if the host then reads the elements. Gives the session of the
 * device that reads them; NULL: none does, *why describes one that failed. */
static struct device_session *open_ordered(struct capture_context *context, PyObject *object,
	struct candidate *candidate, struct err *why)
{
	struct device_session *session;
	bool waited;
	int rc;

	if (candidate->low == candidate->high)
		return NULL;
	if (!announce_step(
		    arena_printf(context->arena, "read of %s", candidate->interface->protocol),
		    why))
		return NULL;
	session = open_session(context, object, candidate, why);
	if (!session)
		return NULL;
	rc = announce_step("wait for pending work", why) ? 0 : -1;
	if (!rc)
		WITHOUT_GIL(rc = session->runtime->wait(session, &waited, why));
	if (!rc && prefers_device(session, candidate))
		return session;
	memory_location_close(session);
	return NULL;
}

/* Raw bytes are of the object's own type if a typestr cannot express that. */
static int memory_location_describe(struct capture_context *context,
	struct fact_interface *interface, const struct dtype *own_type, struct array *array,
	struct err *err)
{
	const struct description *description = protocol_describe(context->arena, interface);
	const struct array *raw = description->has_size ? description->untyped : NULL;

	if (description->strict && description->strict->dtype.kind == DTYPE_VOID)
		raw = description->strict;
	if (raw && own_type->lanes && dtype_itemsize(own_type) == dtype_itemsize(&raw->dtype)) {
		*array = *raw;
		array->dtype = *own_type;
		return 0;
	}
	return protocol_describe_strict(context->arena, interface, array, err);
}

/* Opens one interface for reading; -1 with err set. */
static int memory_location_open_one(struct capture_context *context, PyObject *object,
	struct fact_interface *interface, const struct dtype *own_type, struct elements *elements,
	struct err *err)
{
	struct candidate candidate = { .interface = interface, .elements = elements };
	struct err why = { 0 };

	*elements = (struct elements){ .location = { .session = NULL } };
	if (interface->status != INTERFACE_OK)
		return err_set(err, EXIT_TARGET, "the interface could not be read");
	if (memory_location_describe(context, interface, own_type, &elements->array, err) ||
		array_extent(&elements->array, &candidate.low, &candidate.high, err) ||
		source_check_buffer(interface, &elements->array, err))
		return -1;
	candidate.memory = interface->memory;
	elements->location.session = open_ordered(context, object, &candidate, &why);
	elements->location.host_reaches = !elements->location.session;
	if (elements->location.session || memory_location_host_reaches(&candidate))
		return 0;
	return err_set(err, EXIT_TARGET, "not all of the elements can be read%s%s",
		*why.message ? ": " : "", why.message);
}

/* Whether the interface describes the elements as raw bytes. */
static bool memory_location_is_raw(struct capture_context *context,
	struct fact_interface *interface, const struct dtype *own_type)
{
	struct array array;
	struct err ignored;

	return interface->status == INTERFACE_OK &&
	       !memory_location_describe(context, interface, own_type, &array, &ignored) &&
	       array.dtype.kind == DTYPE_VOID;
}

/* A mask that one interface has applies to all of the object's interfaces. */
static bool has_mask(const struct fact_interface_list *interfaces)
{
	for (size_t i = 0; i < interfaces->n_items; i++)
		if (!value_is_null(value_get(interfaces->items[i].declared, "mask")))
			return true;
	return false;
}

int read_location_find(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces, struct elements *elements, struct err *err)
{
	const char *own = object_inexpressible_type(context->arena, object);
	struct dtype own_type = { 0 };
	struct text reasons = { 0 };
	struct err why;
	int rc = -1;

	if (has_mask(interfaces))
		return err_set(err, EXIT_TARGET,
			"an interface declares a mask, which suai does not apply");
	if (own)
		dtype_from_dlpack_name(&own_type, own);
	/* Interfaces that name the element type are tried before those with raw bytes. */
	for (size_t i = 0; i < 2 * interfaces->n_items && rc; i++) {
		struct fact_interface *interface = &interfaces->items[i % interfaces->n_items];

		if (memory_location_is_raw(context, interface, &own_type) !=
			(i >= interfaces->n_items))
			continue;
		rc = memory_location_open_one(
			context, object, interface, &own_type, elements, &why);
		if (rc)
			text_printf(&reasons, "%s%s: %s", reasons.n_bytes ? "; " : "",
				interface->protocol, why.message);
	}
	if (rc)
		err_set(err, EXIT_TARGET, "%s",
			reasons.n_bytes ? reasons.bytes
					: "no interface of the object could be read");
	text_free(&reasons);
	return rc;
}

void read_location_close(struct elements *elements)
{
	if (elements->location.session)
		memory_location_close(elements->location.session);
	elements->location.session = NULL;
}
