// SPDX-License-Identifier: MIT
/* --call: passes the new object to a consumer. */
#include "worker/capture/self_reported.h"
#include "worker/convert/convert.h"
#include "worker/read/interfaces.h"

int convert_call(struct conversion *conversion)
{
	struct fact_target captured = { .present = true };
	struct capture_context context = *conversion->context;
	PyObject *result = consumer_call(
		&conversion->consumer, conversion->context->names, conversion->object);

	if (!result)
		return -1;
	worker_step_done();
	context.target = &captured;
	conversion->facts.result = (struct fact_result){ .present = true,
		.type = object_type_name(context.arena, result) };
	read_interfaces(&context, result);
	conversion->facts.result.interfaces = captured.interfaces;
	conversion->facts.result.own = self_reported_read(context.arena, result);
	if (worker_step("release of the result"))
		Py_DecRef(result);
	PyErr_Clear();
	worker_step_done();
	return 0;
}
