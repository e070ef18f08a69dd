// SPDX-License-Identifier: MIT
/* __array_struct__ (NumPy's arrays.interface, C-struct access): a capsule of PyArrayInterface. */
#include "base/array_size.h"
#include "os/peek.h"
#include "protocols/shared.h"
#include "worker/capture/attribute.h"
#include "worker/capture/source.h"
#include "worker/python/c_values.h"

/* PyArrayInterface of numpy/ndarraytypes.h */
struct array_struct {
	int two, nd;
	char typekind;
	int itemsize, flags;
	void *shape, *strides; /* Py_intptr_t[nd] */
	void *data;
	PyObject *descr; /* valid if flags include 0x800 */
};

static struct value *typekind_to_value(struct arena *arena, char typekind)
{
	if (typekind < ' ' || typekind > '~')
		return value_textf(arena, "\\x%02x", (unsigned char)typekind);
	return value_text_n(arena, &typekind, 1);
}

/* Without its flag it need not be an object: only its address is recorded. With the flag, the
 * object's header is checked before it is used as one. */
static struct value *descr_to_value(struct arena *arena, const struct array_struct *seen)
{
	PyObject head, type;

	if (!seen->descr)
		return value_null(arena);
	if (!(seen->flags & PROTOCOL_STRUCT_HAS_DESCR))
		return c_pointer_to_value(arena, seen->descr);
	if (!peek_bytes(&head, (uint64_t)(uintptr_t)seen->descr, sizeof(head)) ||
		!peek_bytes(&type, (uint64_t)(uintptr_t)Py_TYPE(&head), sizeof(type)))
		return c_unreadable(arena, seen->descr);
	return object_to_value(arena, seen->descr);
}

static void declare_struct(
	struct arena *arena, struct value *declared, const struct array_struct *seen)
{
	value_set(arena, declared, "two", value_int(arena, seen->two));
	value_set(arena, declared, "nd", value_int(arena, seen->nd));
	value_set(arena, declared, "typekind", typekind_to_value(arena, seen->typekind));
	value_set(arena, declared, "itemsize", value_int(arena, seen->itemsize));
	value_set(arena, declared, "flags", value_int(arena, seen->flags));
	value_set(arena, declared, "shape", c_dimensions_to_value(arena, seen->shape, seen->nd));
	value_set(
		arena, declared, "strides", c_dimensions_to_value(arena, seen->strides, seen->nd));
	value_set(arena, declared, "data", c_pointer_to_value(arena, seen->data));
	value_set(arena, declared, "descr", descr_to_value(arena, seen));
}

static struct value *numpy_struct_read_capsule(struct arena *arena, PyObject *capsule)
{
	static const char *const keys[] = { "two", "nd", "typekind", "itemsize", "flags", "shape",
		"strides", "data", "descr" };
	struct value *declared = value_map(arena), *head = capsule_to_value(arena, capsule);
	struct array_struct seen;
	const void *pointer = NULL;

	if (PyCapsule_CheckExact(capsule))
		value_set(arena, head, "context",
			c_pointer_to_value(arena, PyCapsule_GetContext(capsule)));
	value_set(arena, declared, "capsule", head);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		value_set(arena, declared, keys[i], value_null(arena));
	if (PyCapsule_CheckExact(capsule))
		pointer = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
	object_drop_error();
	if (pointer && peek_bytes(&seen, (uint64_t)(uintptr_t)pointer, sizeof(seen)))
		declare_struct(arena, declared, &seen);
	else if (pointer)
		value_set(arena, declared, "data", c_unreadable(arena, pointer));
	return declared;
}

static struct fact_interface *numpy_struct_read_interface(
	struct capture_context *context, PyObject *object)
{
	PyObject *capsule;
	struct fact_interface *interface =
		attribute_read(context, object, &numpy_struct_protocol, &capsule);

	if (!capsule)
		return interface;
	if (worker_step("struct of __array_struct__")) {
		interface->declared = numpy_struct_read_capsule(context->arena, capsule);
		worker_step_done();
	}
	Py_DecRef(capsule);
	return interface;
}

static void numpy_struct_read_again(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	static const char *const keys[] = { "two", "nd", "typekind", "itemsize", "flags", "shape",
		"strides", "data", NULL };
	PyObject *capsule = again_read(context, object, interface);

	if (capsule && !PyCapsule_CheckExact(capsule)) {
		if (value_at(interface->declared, "capsule.destructor"))
			interface->again.returned = object_type_name(context->arena, capsule);
	} else if (capsule && worker_step("struct of __array_struct__ again")) {
		again_compare_keys(context->arena, interface,
			numpy_struct_read_capsule(context->arena, capsule), keys);
		worker_step_done();
	}
	Py_DecRef(capsule);
}

/* NumPy sets descr of a structure but clears the flag by which consumers read it. */
static enum answer struct_holds_objects(
	const struct value *declared, int64_t item_bytes, bool *has_fields)
{
	const struct value *descr = value_get(declared, "descr");
	enum answer answer = source_descr_holds_objects(declared, item_bytes, has_fields);

	if (answer == ANSWER_UNKNOWN && !value_is_null(descr) &&
		(!value_is_sequence(descr) || !(value_int_or(value_get(declared, "flags"), 0) &
						      PROTOCOL_STRUCT_HAS_DESCR)))
		*has_fields = true;
	return answer;
}

const struct capture numpy_struct_capture = {
	.protocol = &numpy_struct_protocol,
	.read = numpy_struct_read_interface,
	.read_again = numpy_struct_read_again,
	.open_source = source_open_dictionary,
	.holds_objects = struct_holds_objects,
};
