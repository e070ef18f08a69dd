// SPDX-License-Identifier: MIT
#include "worker/capture/source.h"

#include "model/fields.h"
#include "worker/memory/device_session.h"

int source_fail(struct arena *arena, struct err *err, const char *what)
{
	const struct fact_error error = object_take_error(arena);

	return err_set(
		err, EXIT_TARGET, "%s: %s", what, fact_exception(arena, error.type, error.message));
}

int source_set_session(struct source *source, struct device_session *session, struct err *err)
{
	PyObject *session_ref = session_ref_new(session), *owner = source->memory_owner;

	source->elements.location.session = session;
	source->session_ref = session_ref;
	source->memory_owner =
		session_ref ? PyTuple_Pack(2, owner ? owner : Py_None, session_ref) : NULL;
	Py_DecRef(owner);
	if (source->memory_owner)
		return 0;
	object_drop_error();
	return err_set(err, EXIT_BUG, "cannot allocate memory for the source's session");
}

int source_refuse_mask(struct err *err)
{
	return err_set(err, EXIT_TARGET, "the array has a mask, which convert does not export");
}

void source_close(struct source *source)
{
	Py_DecRef(source->memory_owner);
	Py_DecRef(source->session_ref);
	source->memory_owner = source->session_ref = NULL;
	source->elements.location.session = NULL;
}

enum answer source_descr_holds_objects(
	const struct value *declared, int64_t item_bytes, bool *has_fields)
{
	const struct value *descr = value_get(declared, "descr");

	(void)has_fields;
	if (fields_hold_objects(descr))
		return ANSWER_YES;
	return fields_are_structured(descr) && fields_item_bytes(descr) == item_bytes
		       ? ANSWER_NO
		       : ANSWER_UNKNOWN;
}
