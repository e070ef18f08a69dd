// SPDX-License-Identifier: MIT
/*
 * The captures as a table, from the list in protocols/names.h, and all interfaces of one object:
 * first everything that runs the object's code, then what the kernel or a driver says.
 */
#include "devices/maps.h"
#include "model/array.h"
#include "protocols/names.h"
#include "protocols/protocol.h"
#include "worker/read_data.h"
#include "worker/worker.h"

#include <string.h>

#define DECLARE(NAME) extern const struct capture NAME##_capture;
PROTOCOL_LIST(DECLARE)

#define ROW(NAME) &NAME##_capture,
const struct capture *const captures[] = { PROTOCOL_LIST(ROW) NULL };

const struct capture *capture_find(const char *protocol)
{
	for (size_t i = 0; captures[i]; i++)
		if (!strcmp(captures[i]->protocol, protocol))
			return captures[i];
	return NULL;
}

bool job_lists(const struct value *job, const char *key, const char *word)
{
	const struct value *list = value_get(job, key);

	for (size_t i = 0; value_is_sequence(list) && i < list->n_items; i++)
		if (value_is_text(list->items[i], word))
			return true;
	return false;
}

struct value *interface_new(struct arena *arena, const char *protocol)
{
	static const char *const empty[] = { "error", "declared", "details", "memory",
		"memory_reason" };
	struct value *interface = value_map(arena);

	value_set(arena, interface, "protocol", value_text(arena, protocol));
	value_set(arena, interface, "status", value_text(arena, "ok"));
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		value_set(arena, interface, empty[i], value_null(arena));
	return interface;
}

void interface_set_error(struct arena *arena, struct value *interface)
{
	bool refused = PyErr_ExceptionMatches(PyExc_BufferError);

	value_set(arena, interface, "status", value_text(arena, refused ? "refused" : "raised"));
	value_set(arena, interface, "error", object_take_error(arena));
}

static void set_reason(struct arena *arena, struct value *interface, const char *reason)
{
	value_set(arena, interface, "memory_reason", value_text(arena, reason));
}

/* The maps know host memory alone: what is said to lie on another device is not asked. */
static void ask_maps(struct arena *arena, const struct maps *maps, struct value *interface)
{
	const struct protocol *protocol =
		protocol_find(value_text_or(value_get(interface, "protocol"), ""));
	struct array array;
	struct memory memory;
	uint64_t low, high;
	struct err err;

	if (!value_is_text(value_get(interface, "status"), "ok"))
		return set_reason(arena, interface, "the interface could not be read");
	if (protocol->describe(interface, &array, &err) || array_extent(&array, &low, &high, &err))
		return set_reason(arena, interface, err.message);
	if (array.device.type && strcmp(array.device.type, "cpu") != 0)
		return set_reason(arena, interface,
			arena_printf(arena, "no driver of %s was asked", array.device.type));
	if (!maps->n_entries)
		return set_reason(arena, interface, "/proc/self/maps cannot be read");
	maps_ask(maps, low, high, &memory);
	value_set(arena, interface, "memory", memory_to_value(arena, &memory));
}

static void ask_memory(struct capture_context *context, PyObject *object, struct value *interfaces)
{
	const struct capture *capture;
	struct maps maps = { 0 };
	bool maps_tried = false;
	struct err err;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct value *interface = interfaces->items[i];

		capture = capture_find(value_text_or(value_get(interface, "protocol"), ""));
		/* The kernel takes 200 us for its maps; one that failed is empty, as ask_maps says.
		 */
		if (!capture->ask_memory && !maps_tried)
			(void)maps_read(&maps, &err);
		maps_tried |= !capture->ask_memory;
		if (!capture->ask_memory) {
			ask_maps(context->arena, &maps, interface);
		} else if (worker_step(arena_printf(
				   context->arena, "memory of %s", capture->protocol))) {
			capture->ask_memory(context, object, interface);
			worker_step_done();
		} else {
			set_reason(context->arena, interface,
				"asking for it killed an earlier worker");
		}
	}
	maps_free(&maps);
}

struct value *capture_interfaces(struct capture_context *context, PyObject *object)
{
	struct value *interfaces = value_list(context->arena);
	struct value *interface;

	for (size_t i = 0; captures[i]; i++) {
		if (!job_lists(context->job, "protocols", captures[i]->protocol) ||
			!captures[i]->exposes(context, object))
			continue;
		interface = captures[i]->read(context, object);
		if (interface)
			value_append(context->arena, interfaces, interface);
	}
	if (job_lists(context->job, "facts", "memory"))
		ask_memory(context, object, interfaces);
	context->data = read_data(context, interfaces);
	for (size_t i = 0; captures[i]; i++)
		if (captures[i]->finish)
			captures[i]->finish(context);
	Py_DecRef(context->kept);
	context->kept = NULL;
	return interfaces;
}
