// SPDX-License-Identifier: MIT
/*
 * All interfaces of one object: first everything that runs the object's code, then queries of the
 * kernel or a driver.
 */
#include "worker/read/interfaces.h"

#include "os/maps.h"
#include "protocols/description.h"
#include "worker/capture/keepalive.h"
#include "worker/read/read_data.h"

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
		other->memory_reason = capture_query_memory(context, other);
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
			interface->memory_reason =
				"skipped: this step terminated an earlier worker";
		else if (capture->query_memory)
			capture->query_memory(context, object, interface);
		else
			interface->memory_reason = capture_query_memory(context, interface);
		worker_step_done();
		query_other_memory(context, interface);
	}
	if (context->maps)
		maps_free(context->maps);
	context->maps = NULL;
}

/* --- drafts --- */

/* All interfaces and calls so far, which replace earlier drafts. */
static void draft_whole(const struct capture_context *context)
{
	struct fact_draft draft = { .present = true,
		.interfaces = context->target->interfaces,
		.calls = context->target->calls,
		.whole = ANSWER_YES };

	draft.calls.known = true;
	capture_draft(context, &draft);
}

static void add_interface(struct capture_context *context, struct fact_interface *interface)
{
	struct fact_interface_list one = { true, 1, interface };

	*FACT_LIST_ADD(context->arena, &context->target->interfaces) = *interface;
	capture_draft(context, &(struct fact_draft){ .present = true, .interfaces = one });
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
	return !context->job->convert && !context->job->module.trials;
}

/* Recorded before the reads, for the case that the worker is lost or has no time for a second
 * read. */
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

void read_interfaces(struct capture_context *context, PyObject *object)
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
