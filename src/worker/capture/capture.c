// SPDX-License-Identifier: MIT
#include "worker/capture/capture.h"

#include "worker/capture/attribute.h"
#include "worker/capture/keepalive.h"

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

bool capture_exposes_any(struct capture_context *context, PyObject *object)
{
	for (size_t i = 0; captures[i]; i++)
		if (capture_exposes(captures[i], context, object))
			return true;
	return false;
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

/* --- drafts --- */

void capture_draft(const struct capture_context *context, const struct fact_draft *draft)
{
	if (context->drafts)
		worker_draft(draft);
}

void capture_draft_planned(
	const struct capture_context *context, const struct fact_call_list *calls)
{
	capture_draft(context, &(struct fact_draft){ .present = true, .planned = *calls });
}

void capture_add_call(struct capture_context *context, struct fact_call *call)
{
	struct fact_call_list one = { true, 1, call };

	if (!context->target)
		return;
	*FACT_LIST_ADD(context->arena, &context->target->calls) = *call;
	capture_draft(context, &(struct fact_draft){ .present = true, .calls = one });
}
