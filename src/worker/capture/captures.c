// SPDX-License-Identifier: MIT
/*
 * The captures as a table, from the list in protocols/names.h, and all interfaces of one object:
 * first everything that runs the object's code, then what the kernel or a driver says.
 */
#include "devices/runtimes.h"
#include "facts/target_value.h"
#include "model/array.h"
#include "os/maps.h"
#include "protocols/repair.h"
#include "worker/capture/cuda.h"
#include "worker/capture/facts.h"
#include "worker/capture/keepalive.h"
#include "worker/capture/sycl.h"
#include "worker/read/read_data.h"
#include "worker/worker.h"

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
	const struct value *interface = NULL;

	if (capture_exposes(capture, context, object))
		interface = capture->read(context, object);
	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	keepalive_release(context);
	return value_get(interface, "declared");
}

struct value *interface_new(struct arena *arena, const struct protocol *protocol)
{
	static const char *const empty[] = { "error", "defined_by", "again", "declared", "details",
		"memory", "memory_reason" };
	struct value *interface = value_map(arena);

	value_set(arena, interface, "protocol", value_text(arena, protocol->name));
	value_set(arena, interface, "status", value_text(arena, "ok"));
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		value_set(arena, interface, empty[i], value_null(arena));
	return interface;
}

void interface_set_error(struct arena *arena, struct value *interface)
{
	bool refused = PyErr_ExceptionMatches(PyExc_BufferError);

	value_set(arena, interface, "status", value_text(arena, refused ? "refused" : "raised"));
	value_set(arena, interface, "error", object_take_error_value(arena));
}

bool capture_ask_maps(
	struct capture_context *context, uint64_t low, uint64_t high, struct memory *memory)
{
	struct err ignored;
	struct maps near;

	if (maps_query(&near, low, high)) {
		maps_ask(&near, low, high, memory);
		maps_free(&near);
		return true;
	}
	if (!context->maps) {
		context->maps = arena_alloc(context->arena, sizeof(*context->maps));
		(void)maps_read(context->maps, &ignored);
	}
	maps_ask(context->maps, low, high, memory);
	return context->maps->n_entries > 0;
}

static void free_maps(struct capture_context *context)
{
	if (context->maps)
		maps_free(context->maps);
	context->maps = NULL;
}

/* For interfaces that name a device: the kernel knows host memory, each runtime its own. */
static const char *ask_by_device(struct capture_context *context, struct value *interface)
{
	struct arena *arena = context->arena;
	const struct protocol *protocol = protocol_of_interface_value(interface);
	struct array array;
	const struct device_runtime *runtime;
	struct device_claim claim;
	struct memory memory;
	uint64_t low, high;
	struct err err;

	if (!value_is_text(value_get(interface, "status"), "ok"))
		return "the interface could not be read";
	if (protocol_find_extent(protocol, arena, interface_from_value(arena, interface), &array,
		    &low, &high, &err))
		return arena_printf(arena, "%s", err.message);
	if (!array.device.type)
		return "nobody to ask: its device is not known";
	runtime = device_runtime_of_type(array.device.type);
	if (runtime && runtime->data_is_handle)
		return "a cl_mem is a handle, and OpenCL is asked of it only where its elements "
		       "are read or converted: a wrong one ends the process";
	claim = (struct device_claim){ .device_id = array.device.id, .address = array.pointer };
	if (runtime)
		return worker_ask_runtime(context, runtime, interface, &claim, low, high);
	if (strcmp(array.device.type, "cpu") != 0)
		return arena_printf(arena, "this version of suai asks no %s driver",
			!strncmp(array.device.type, "rocm", 4) ? "HIP" : array.device.type);
	if (!low && !high)
		return "no elements and no address";
	if (!capture_ask_maps(context, low, high, &memory))
		return "/proc/self/maps cannot be read";
	cuda_refine_memory(&memory);
	value_set(arena, interface, "memory", memory_to_value(arena, &memory));
	return NULL;
}

/* A protocol's other answer lies where the first does, or is asked about as well. */
static void ask_other(struct capture_context *context, struct value *interface)
{
	const struct protocol *protocol = protocol_of_interface_value(interface);
	const struct fact_interface *first_answer = interface_from_value(context->arena, interface);
	const struct fact_interface *other =
		protocol->other ? protocol->other(context->arena, first_answer) : NULL;
	struct value *fact = (struct value *)value_at(interface, "details.other_capsule");
	struct array first, second;
	bool ignored_repair;
	struct err ignored;

	if (!other || !worker_step("memory of the other capsule"))
		return;
	if (!protocol_describe_lenient(
		    protocol, context->arena, first_answer, &first, &ignored_repair, &ignored) &&
		!protocol_describe_lenient(
			protocol, context->arena, other, &second, &ignored_repair, &ignored) &&
		array_same_extent(&first, &second)) {
		value_set(context->arena, fact, "memory",
			(struct value *)value_get(interface, "memory"));
		value_set(context->arena, fact, "memory_reason",
			(struct value *)value_get(interface, "memory_reason"));
	} else {
		struct value *asked =
			fact_write(&fact_interface_record, context->arena, other, FACT_WIRE, NULL);
		const char *reason = ask_by_device(context, asked);

		value_set(
			context->arena, fact, "memory", (struct value *)value_get(asked, "memory"));
		value_set(
			context->arena, fact, "memory_reason", value_text(context->arena, reason));
	}
	worker_step_done();
}

static void ask_all_memory(
	struct capture_context *context, PyObject *object, struct value *interfaces)
{
	struct arena *arena = context->arena;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct value *interface = interfaces->items[i];
		const char *protocol = value_text_or(value_get(interface, "protocol"), "");
		const struct capture *capture = capture_find(protocol);
		const char *reason = "asking for it killed an earlier worker";

		if (!worker_step(arena_printf(arena, "memory of %s", protocol)))
			value_set(arena, interface, "memory_reason", value_text(arena, reason));
		else if (capture->ask_memory)
			capture->ask_memory(context, object, interface);
		else
			value_set(arena, interface, "memory_reason",
				value_text(arena, ask_by_device(context, interface)));
		worker_step_done();
		ask_other(context, interface);
	}
	free_maps(context);
}

void draft_item(const struct capture_context *context, const char *key, struct value *item)
{
	struct arena *arena = context->arena;
	struct value *draft;

	if (!context->drafts)
		return;
	draft = value_map(arena);
	value_append(arena, value_set(arena, draft, key, value_list(arena)), item);
	worker_draft(draft);
}

void draft_whole(const struct capture_context *context, const struct value *interfaces)
{
	struct arena *arena = context->arena;
	struct value *draft;

	if (!context->drafts)
		return;
	draft = value_map(arena);
	value_set(arena, draft, "whole", value_bool(arena, true));
	value_set(arena, draft, "interfaces", (struct value *)interfaces);
	value_set(arena, draft, "calls", context->calls);
	worker_draft(draft);
}

void draft_planned(const struct capture_context *context, const struct value *records)
{
	struct value *draft;

	if (!context->drafts)
		return;
	draft = value_map(context->arena);
	value_set(context->arena, draft, "planned", (struct value *)records);
	worker_draft(draft);
}

static void make_all_calls(
	struct capture_context *context, PyObject *object, const struct value *interfaces)
{
	draft_whole(context, interfaces);
	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct value *interface = interfaces->items[i];
		const struct capture *capture =
			capture_find(value_text_or(value_get(interface, "protocol"), ""));

		if (capture->make_calls)
			capture->make_calls(context, object, interface);
	}
}

/* Not of what suai converts or tries: it asks once for that. */
static bool reads_again(const struct capture_context *context)
{
	return !context->job->convert && !context->job->trial.name;
}

/* Until an interface is read again, and where there is no time for that, its facts say so. */
static void expect_again(struct capture_context *context, const struct value *interfaces)
{
	struct arena *arena = context->arena;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct value *interface = interfaces->items[i];
		struct value *again;

		if (!capture_find(value_text_or(value_get(interface, "protocol"), ""))->read_again)
			continue;
		again = facts_begin_again(arena, interface, NULL);
		value_set(arena, again, "error",
			value_error(arena, NULL,
				"less than half of the target's time limit was left for a second "
				"reading"));
	}
}

/* What a second consumer would meet. */
static void read_all_again(struct capture_context *context, PyObject *object,
	const struct value *interfaces, bool of_exports)
{
	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct value *interface = interfaces->items[i];
		const struct capture *capture =
			capture_find(value_text_or(value_get(interface, "protocol"), ""));

		if (capture->read_again && capture->is_export == of_exports &&
			worker_has_half_time() && reads_again(context)) {
			value_set(context->arena, interface, "again", value_null(context->arena));
			capture->read_again(context, object, interface);
		}
	}
}

void capture_fill_target(struct capture_context *context, struct value *interfaces)
{
	struct value *map = value_map(context->arena);
	struct fact_target found;
	struct err err;

	value_set(context->arena, map, "interfaces",
		interfaces ? interfaces : value_null(context->arena));
	value_set(context->arena, map, "calls", context->calls);
	if (fact_read(&fact_target_record, context->arena, map, FACT_WIRE, NULL, &found, &err)) {
		context->target->status = STATUS_UNAVAILABLE;
		context->target->step = "report";
		context->target->error = (struct fact_error){ .present = true,
			.message = arena_printf(context->arena, "%s", err.message) };
	} else {
		if (interfaces)
			context->target->interfaces = found.interfaces;
		context->target->calls = found.calls;
	}
}

struct value *capture_interfaces(struct capture_context *context, PyObject *object)
{
	struct value *interfaces = value_list(context->arena);
	struct value *interface;

	for (size_t i = 0; captures[i]; i++) {
		if (!value_lists_text(context->job->protocols, captures[i]->protocol->name) ||
			!capture_exposes(captures[i], context, object))
			continue;
		interface = captures[i]->read(context, object);
		if (!interface)
			continue;
		value_set(context->arena, interface, "defined_by",
			value_text(context->arena, object_definer(context->arena, object,
							   captures[i]->protocol->attribute)));
		value_append(context->arena, interfaces, interface);
		draft_item(context, "interfaces", interface);
	}
	if (context->job->facts & FACT_MEMORY)
		ask_all_memory(context, object, interfaces);
	read_data(context, object, interfaces);
	if (reads_again(context))
		expect_again(context, interfaces);
	if (reads_again(context) && context->drafts) {
		draft_whole(context, interfaces);
		worker_all_read();
	}
	read_all_again(context, object, interfaces, false);
	keepalive_release(context);
	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	read_all_again(context, object, interfaces, true);
	if (context->job->facts & FACT_CALLS)
		make_all_calls(context, object, interfaces);
	capture_fill_target(context, interfaces);
	return interfaces;
}
