// SPDX-License-Identifier: MIT
/*
 * The captures as a table, from the list in protocols/names.h, and all interfaces of one object:
 * first everything that runs the object's code, then queries of the kernel or a driver.
 */
#include "devices/runtimes.h"
#include "model/array.h"
#include "os/maps.h"
#include "protocols/description.h"
#include "worker/capture/attribute.h"
#include "worker/capture/capture.h"
#include "worker/capture/cuda.h"
#include "worker/capture/keepalive.h"
#include "worker/capture/sycl.h"
#include "worker/read/read_data.h"

#include <string.h>

#define ROW(SYMBOL, NAME, EXPORT) &SYMBOL##_capture,
const struct capture *const captures[] = { PROTOCOL_LIST(ROW) NULL };

const struct capture *capture_find(const char *protocol)
{
	for (size_t i = 0; captures[i]; i++)
		if (!strcmp(captures[i]->protocol->name, protocol))
			return captures[i];
	return NULL;
}

bool capture_exposes(
	const struct capture *capture, struct capture_context *context, PyObject *object)
{
	const char *attribute = capture->protocol->attribute;

	return capture->exposes ? capture->exposes(context, object)
				: attribute_exposes(object, attribute, attribute);
}

const struct value *capture_read_declared(
	const struct capture *capture, struct capture_context *context, PyObject *object)
{
	const struct fact_interface *interface = NULL;

	if (capture_exposes(capture, context, object))
		interface = capture->read(context, object);
	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	keepalive_release(context);
	return interface ? interface->declared : NULL;
}

struct fact_interface *interface_new(struct arena *arena, const struct protocol *protocol)
{
	struct fact_interface *interface = arena_alloc(arena, sizeof(*interface));

	*interface = (struct fact_interface){
		.present = true, .protocol = protocol->name, .status = INTERFACE_OK
	};
	return interface;
}

void interface_set_error(struct arena *arena, struct fact_interface *interface)
{
	interface->status =
		PyErr_ExceptionMatches(PyExc_BufferError) ? INTERFACE_REFUSED : INTERFACE_RAISED;
	interface->error = object_take_error(arena);
}

bool capture_query_maps(
	struct capture_context *context, uint64_t low, uint64_t high, struct memory *memory)
{
	struct err ignored;
	struct maps near;

	if (maps_query(&near, low, high)) {
		maps_locate(&near, low, high, memory);
		maps_free(&near);
		return true;
	}
	if (!context->maps) {
		context->maps = arena_alloc(context->arena, sizeof(*context->maps));
		(void)maps_read(context->maps, &ignored);
	}
	maps_locate(context->maps, low, high, memory);
	return context->maps->n_entries > 0;
}

/* For interfaces that declare a device: queries the kernel about host memory, a runtime about its
 * own. */
static const char *query_by_device(
	struct capture_context *context, struct fact_interface *interface)
{
	struct arena *arena = context->arena;
	struct array array;
	const struct device_runtime *runtime;
	const struct device_type *type;
	struct device_claim claim;
	struct memory memory;
	uint64_t low, high;
	struct err err;

	if (interface->status != INTERFACE_OK)
		return "the interface could not be read";
	if (protocol_find_extent(arena, interface, &array, &low, &high, &err))
		return arena_printf(arena, "%s", err.message);
	if (!array.device.type)
		return "its device is unknown";
	type = device_type_named(array.device.type);
	runtime = device_runtime_of_type(type->name);
	if (runtime && runtime->data_is_handle)
		return "a cl_mem is a handle, which suai passes to OpenCL only when it reads or converts elements: an invalid one crashes the process";
	claim = (struct device_claim){ .device_id = array.device.id, .address = array.pointer };
	if (runtime)
		return worker_query_runtime(context, runtime, interface, &claim, low, high);
	if (strcmp(array.device.type, DEVICE_CPU) != 0)
		return arena_printf(arena, "this version of suai cannot query the %s driver",
			type->driver ? type->driver : type->name);
	if (!low && !high)
		return "no elements and no address";
	if (!capture_query_maps(context, low, high, &memory))
		return "/proc/self/maps cannot be read";
	cuda_refine_memory(&memory);
	interface->memory = memory;
	return NULL;
}

/* The memory of a protocol's other capsule is that of the first, or is queried as well. */
static void query_other_memory(struct capture_context *context, struct fact_interface *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);
	struct arena *arena = context->arena;
	struct fact_interface *other = protocol->other ? protocol->other(arena, interface) : NULL;
	struct value *fact = (struct value *)value_get(interface->details, "other_capsule");
	const struct array *first, *second;

	if (!other || !worker_step("memory of the other capsule"))
		return;
	first = protocol_describe(arena, interface)->lenient;
	second = protocol_describe(arena, other)->lenient;
	if (first && second && array_same_extent(first, second)) {
		other->memory = interface->memory;
		other->memory_reason = interface->memory_reason;
	} else {
		other->memory_reason = query_by_device(context, other);
	}
	value_set(arena, fact, "memory",
		fact_write(&fact_memory_record, arena, &other->memory, FACT_WIRE, NULL));
	value_set(arena, fact, "memory_reason", value_text(arena, other->memory_reason));
	worker_step_done();
}

static void query_all_memory(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces)
{
	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct fact_interface *interface = &interfaces->items[i];
		const struct capture *capture = capture_find(interface->protocol);

		if (!worker_step(arena_printf(context->arena, "memory of %s", interface->protocol)))
			interface->memory_reason = "skipped: this step crashed an earlier worker";
		else if (capture->query_memory)
			capture->query_memory(context, object, interface);
		else
			interface->memory_reason = query_by_device(context, interface);
		worker_step_done();
		query_other_memory(context, interface);
	}
	if (context->maps)
		maps_free(context->maps);
	context->maps = NULL;
}

/* --- drafts --- */

static void send_draft(const struct capture_context *context, const struct fact_draft *draft)
{
	if (context->drafts)
		worker_draft(draft);
}

/* All interfaces and calls so far, which replace earlier drafts. */
static void draft_whole(const struct capture_context *context)
{
	struct fact_draft draft = { .present = true,
		.interfaces = context->target->interfaces,
		.calls = context->target->calls,
		.whole = ANSWER_YES };

	draft.calls.known = true;
	send_draft(context, &draft);
}

void capture_draft_planned(
	const struct capture_context *context, const struct fact_call_list *calls)
{
	send_draft(context, &(struct fact_draft){ .present = true, .planned = *calls });
}

static void add_interface(struct capture_context *context, struct fact_interface *interface)
{
	struct fact_interface_list one = { true, 1, interface };

	*FACT_LIST_ADD(context->arena, &context->target->interfaces) = *interface;
	send_draft(context, &(struct fact_draft){ .present = true, .interfaces = one });
}

void capture_add_call(struct capture_context *context, struct fact_call *call)
{
	struct fact_call_list one = { true, 1, call };

	if (!context->target)
		return;
	*FACT_LIST_ADD(context->arena, &context->target->calls) = *call;
	send_draft(context, &(struct fact_draft){ .present = true, .calls = one });
}

/* --- all interfaces of an object --- */

static void make_all_calls(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces)
{
	draft_whole(context);
	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct fact_interface *interface = &interfaces->items[i];
		const struct capture *capture = capture_find(interface->protocol);

		if (capture->make_calls)
			capture->make_calls(context, object, interface);
	}
}

/* Conversions and trials read interfaces only once. */
static bool reads_again(const struct capture_context *context)
{
	return !context->job->convert && !context->job->module.trial.name;
}

/* Recorded first: it stands if the worker is lost, or has no time for a second read. */
static void expect_again(const struct fact_interface_list *interfaces)
{
	static const struct fact_again no_time = {
		.present = true,
		.error = { .present = true,
			.message =
				"less than half of the target's time limit was left for a second read" }
	};

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (capture_find(interfaces->items[i].protocol)->read_again)
			interfaces->items[i].again = no_time;
}

/* What a second consumer would see. */
static void read_all_again(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces, bool of_exports)
{
	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct fact_interface *interface = &interfaces->items[i];
		const struct capture *capture = capture_find(interface->protocol);

		if (capture->read_again && capture->is_export == of_exports &&
			worker_has_half_time() && reads_again(context)) {
			interface->again = (struct fact_again){ .present = false };
			capture->read_again(context, object, interface);
		}
	}
}

void capture_interfaces(struct capture_context *context, PyObject *object)
{
	struct fact_interface_list *interfaces = &context->target->interfaces;

	interfaces->known = true;
	for (size_t i = 0; captures[i]; i++) {
		struct fact_interface *interface;

		if (!value_lists_text(context->job->protocols, captures[i]->protocol->name) ||
			!capture_exposes(captures[i], context, object))
			continue;
		interface = captures[i]->read(context, object);
		if (!interface)
			continue;
		interface->defined_by =
			object_definer(context->arena, object, captures[i]->protocol->attribute);
		add_interface(context, interface);
	}
	if (context->job->facts & FACT_MEMORY)
		query_all_memory(context, object, interfaces);
	read_data(context, object, interfaces);
	if (reads_again(context))
		expect_again(interfaces);
	if (reads_again(context) && context->drafts) {
		draft_whole(context);
		worker_all_read();
	}
	read_all_again(context, object, interfaces, false);
	keepalive_release(context);
	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	read_all_again(context, object, interfaces, true);
	if (context->job->facts & FACT_CALLS)
		make_all_calls(context, object, interfaces);
}
