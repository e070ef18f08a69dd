// SPDX-License-Identifier: MIT
#include "worker/python/c_values.h"

#include "model/array.h"
#include "os/peek.h"

#include <string.h>

enum { CAPSULE_NAME_MAX = 255, TEXT_MAX = (1 << 20) - 1 };

struct value *c_unreadable(struct arena *arena, const void *address)
{
	return value_opaque(
		arena, arena_printf(arena, "<memory at %p cannot be read>", address), NULL);
}

/* Bytes that are not UTF-8 become \xNN. */
static const char *escape(struct arena *arena, const char *text)
{
	PyObject *decoded =
		PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
	const char *copy = value_text_or(object_to_value(arena, decoded), "");

	Py_DecRef(decoded);
	return copy;
}

const char *capsule_name(struct arena *arena, PyObject *capsule)
{
	const char *name = PyCapsule_GetName(capsule);
	const char *copy = name ? peek_text(arena, name, CAPSULE_NAME_MAX) : NULL;

	PyErr_Clear();
	return copy ? escape(arena, copy) : NULL;
}

struct value *c_text_to_value(struct arena *arena, const char *text)
{
	const char *copy = text ? peek_text(arena, text, TEXT_MAX) : NULL;

	if (!text)
		return value_null(arena);
	return copy ? value_text(arena, escape(arena, copy)) : c_unreadable(arena, text);
}

struct value *capsule_to_value(struct arena *arena, PyObject *object)
{
	PyCapsule_Destructor destructor;
	struct value *capsule;
	const char *name;

	if (!PyCapsule_CheckExact(object))
		return object_to_value(arena, object);
	name = PyCapsule_GetName(object);
	destructor = PyCapsule_GetDestructor(object);
	PyErr_Clear();
	capsule = value_map(arena);
	value_set(arena, capsule, "name", c_text_to_value(arena, name));
	value_set(arena, capsule, "destructor",
		value_address(arena, (uint64_t)(uintptr_t)destructor));
	return capsule;
}

struct value *c_pair_to_value(struct arena *arena, int64_t first, int64_t second)
{
	struct value *tuple = value_tuple(arena);

	value_append(arena, tuple, value_int(arena, first));
	value_append(arena, tuple, value_int(arena, second));
	return tuple;
}

struct value *c_answer_to_value(struct arena *arena, enum answer answer)
{
	return answer == ANSWER_UNKNOWN ? value_null(arena)
					: value_bool(arena, answer == ANSWER_YES);
}

struct value *c_pointer_to_value(struct arena *arena, const void *pointer)
{
	return value_address(arena, (uint64_t)(uintptr_t)pointer);
}

static struct value *read_integers(struct arena *arena, const void *address, size_t n_items)
{
	struct value *tuple;
	int64_t *items;

	if (!address)
		return value_null(arena);
	items = arena_alloc(arena, (n_items + 1) * sizeof(*items));
	if (!peek_bytes(items, (uint64_t)(uintptr_t)address, n_items * sizeof(*items)))
		return c_unreadable(arena, address);
	tuple = value_tuple(arena);
	for (size_t i = 0; i < n_items; i++)
		value_append(arena, tuple, value_int(arena, items[i]));
	return tuple;
}

struct value *c_integers_to_value(struct arena *arena, const void *address, int64_t n_items)
{
	int64_t n_read = n_items < ARRAY_MAX_DIMS ? n_items : ARRAY_MAX_DIMS;

	return read_integers(arena, address, n_read < 0 ? 0 : (size_t)n_read);
}

struct value *c_dimensions_to_value(struct arena *arena, const void *address, int64_t n_items)
{
	if (address && n_items > ARRAY_MAX_DIMS)
		return value_opaque(arena, "<not read: more than 64 dimensions>", NULL);
	return c_integers_to_value(arena, address, n_items);
}
