// SPDX-License-Identifier: MIT
/*
 * Python objects as values, without loss and without trust: no __repr__ is run, cycles and sizes
 * are bounded, and nothing raises. An object that has no value becomes an opaque with the reason.
 */
#include "base/text.h"
#include "base/utf8.h"
#include "model/escape.h"
#include "protocols/protocol.h"
#include "worker/python/c_values.h"
#include "worker/python/import.h"

#include <string.h>

enum {
	OBJECT_MAX_DEPTH = VALUE_MAX_DEPTH - 10, /* the depth of an object in a message */
	OBJECT_MAX_KEYS = 4096,
	OBJECT_MAX_ITEMS = 100000,
	OBJECT_MAX_TEXT_BYTES = 1 << 20,
	KEYS_RESERVE = 4096, /* items that one value of a dictionary leaves to the others */
	KEY_MAX_BYTES = 64,  /* of a key that is shown as a literal */
	TYPE_NAME_MAX_BYTES = 1000,
	TYPE_MAX_BASES = 256,
	BUFFER_METHOD_SINCE = 0x030c0000, /* types with getbuffer have __buffer__ */
};

_Static_assert(
	OBJECT_MAX_KEYS == 4096 && OBJECT_MAX_ITEMS == 100000 && OBJECT_MAX_TEXT_BYTES == 1 << 20,
	"the reasons name these");

/* One conversion: the enclosing containers, and how many more items and bytes it may convert. */
struct conversion {
	struct arena *arena;
	PyObject *open[OBJECT_MAX_DEPTH];
	int depth;
	size_t items_left, bytes_left;
};

static struct value *convert_object_within(struct conversion *conversion, PyObject *object);

static struct value *opaque(struct conversion *conversion, PyObject *object, const char *reason)
{
	char *type = object_type_name(conversion->arena, object);

	object_drop_error();
	return value_opaque(
		conversion->arena, arena_printf(conversion->arena, "<%s: %s>", type, reason), type);
}

static struct value *plain_opaque(struct arena *arena, PyObject *object)
{
	char *type = object_type_name(arena, object);
	const char *name;

	if (!PyCapsule_CheckExact(object))
		return value_opaque(arena, arena_printf(arena, "<%s>", type), type);
	name = capsule_name(arena, object);
	return value_opaque(
		arena, name ? arena_printf(arena, "<capsule '%s'>", name) : "<capsule>", type);
}

static struct value *with_type(
	struct arena *arena, struct value *value, PyObject *object, bool exact)
{
	if (!exact)
		value->type_name = object_type_name(arena, object);
	return value;
}

/* `integer` is a Python int or a subclass of it; its own methods are not called. */
static struct value *convert_integer(struct conversion *conversion, PyObject *integer)
{
	int overflow;
	long long narrow = PyLong_AsLongLongAndOverflow(integer, &overflow);
	PyObject *decimal;
	struct value *value;

	if (!overflow)
		return value_int(conversion->arena, narrow);
	decimal = PyNumber_ToBase(integer, 10);
	if (!decimal)
		return opaque(conversion, integer, "an integer of thousands of digits");
	value = value_wide_int(conversion->arena, PyUnicode_AsUTF8AndSize(decimal, NULL));
	Py_DecRef(decimal);
	return value;
}

static struct value *convert_index(struct conversion *conversion, PyObject *object)
{
	PyObject *integer = PyNumber_Index(object);
	struct value *value;

	if (!integer) {
		object_drop_error();
		return plain_opaque(conversion->arena, object);
	}
	value = convert_integer(conversion, integer);
	Py_DecRef(integer);
	return with_type(conversion->arena, value, object, false);
}

static bool spend_bytes(struct conversion *conversion, size_t n_bytes)
{
	if (n_bytes > conversion->bytes_left)
		return false;
	conversion->bytes_left -= n_bytes;
	return true;
}

static struct value *convert_text(struct conversion *conversion, PyObject *object)
{
	PyObject *bytes = PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass");
	struct value *value = NULL;
	Py_ssize_t n_bytes;
	char *start;

	if (bytes && !PyBytes_AsStringAndSize(bytes, &start, &n_bytes) &&
		spend_bytes(conversion, (size_t)n_bytes))
		value = value_text_n(conversion->arena, start, (size_t)n_bytes);
	Py_DecRef(bytes);
	return value ? value : opaque(conversion, object, "more than 1 MiB of text" VALUE_LIMIT);
}

static struct value *convert_bytes(struct conversion *conversion, PyObject *object)
{
	bool is_bytes = PyBytes_Check(object);
	Py_ssize_t n_bytes = is_bytes ? PyBytes_Size(object) : PyByteArray_Size(object);
	const char *start = is_bytes ? PyBytes_AsString(object) : PyByteArray_AsString(object);

	if (!spend_bytes(conversion, (size_t)n_bytes))
		return opaque(conversion, object, "more than 1 MiB of text" VALUE_LIMIT);
	return value_bytes(conversion->arena, start, (size_t)n_bytes);
}

/* NULL, and counts the container as open; or the reason why it cannot be entered. */
static const char *enter_container(struct conversion *conversion, PyObject *object, size_t n_items)
{
	for (int i = 0; i < conversion->depth; i++)
		if (conversion->open[i] == object)
			return "a cycle";
	if (conversion->depth == OBJECT_MAX_DEPTH)
		return "nested too deeply" VALUE_LIMIT;
	if (n_items > conversion->items_left)
		return "more than 100000 items" VALUE_LIMIT;
	conversion->items_left -= n_items;
	conversion->open[conversion->depth++] = object;
	return NULL;
}

static struct value *convert_sequence(struct conversion *conversion, PyObject *object)
{
	bool is_list = PyList_Check(object);
	Py_ssize_t n_items = is_list ? PyList_Size(object) : PyTuple_Size(object);
	const char *refusal = enter_container(conversion, object, (size_t)n_items);
	struct value *value;

	if (refusal)
		return opaque(conversion, object, refusal);
	value = is_list ? value_list(conversion->arena) : value_tuple(conversion->arena);
	for (Py_ssize_t i = 0; i < n_items; i++) {
		/* Converting an item may run its __index__, which may shorten the list. */
		PyObject *item = is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);

		if (!item)
			break;
		Py_IncRef(item);
		value_append(conversion->arena, value, convert_object_within(conversion, item));
		Py_DecRef(item);
	}
	object_drop_error();
	conversion->depth--;
	return value;
}

/* Appends text or bytes, quoted as Python does; false if they are too long, or contain both kinds
 * of quotes. */
static bool add_quoted_key(struct text *text, const struct value *key)
{
	const char *quote = memchr(key->bytes, '\'', key->n_bytes) ? "\"" : "'";

	if (key->n_bytes > KEY_MAX_BYTES || memchr(key->bytes, *quote, key->n_bytes))
		return false;
	text_add(text, key->kind == VALUE_BYTES ? "b" : "");
	text_add(text, quote);
	if (key->kind == VALUE_BYTES)
		escape_bytes(text, key->bytes, key->n_bytes);
	else
		escape_text(text, key->bytes, key->n_bytes, ESCAPE_FIELD);
	text_add(text, quote);
	return true;
}

/* Appends a key of a built-in scalar type, or of a type derived from one, as a Python literal; runs
 * none of its methods. False for other types and for long literals. */
static bool add_key_literal(struct conversion *conversion, struct text *text, PyObject *key)
{
	const struct value *value;

	if (key != Py_None && !PyLong_Check(key) && !PyFloat_Check(key) && !PyUnicode_Check(key) &&
		!PyBytes_Check(key))
		return false;
	value = convert_object_within(conversion, key);
	switch (value->kind) {
	case VALUE_NULL:
		text_add(text, "None");
		return true;
	case VALUE_BOOL:
		text_add(text, value->boolean ? "True" : "False");
		return true;
	case VALUE_INT:
	case VALUE_REAL:
		return value_add_scalar(text, value);
	case VALUE_WIDE_INT:
		text_add(text, value->bytes);
		return value->n_bytes <= KEY_MAX_BYTES;
	case VALUE_TEXT:
	case VALUE_BYTES:
		return add_quoted_key(text, value);
	default: /* an opaque: the limits of the conversion are exceeded */
		return false;
	}
}

/* The text of a key; of one that is not text, contains a zero, or has the form of such a key, its
 * type and value, such as <int 1>, or its type and position. */
static const char *key_text(struct conversion *conversion, PyObject *key, Py_ssize_t position)
{
	struct value *text = PyUnicode_Check(key) ? convert_text(conversion, key) : NULL;
	const char *type, *shown;
	struct text literal = { 0 };

	if (value_is(text, VALUE_TEXT) && strlen(text->bytes) == text->n_bytes &&
		!value_key_is_typed(text->bytes, text->n_bytes))
		return text->bytes;
	type = object_type_name(conversion->arena, key);
	if (add_key_literal(conversion, &literal, key))
		shown = arena_printf(conversion->arena, "<%s %s>", type, literal.bytes);
	else
		shown = arena_printf(conversion->arena, "<%s key %zd>", type, position);
	text_free(&literal);
	return shown;
}

static struct value *convert_dictionary(struct conversion *conversion, PyObject *object)
{
	Py_ssize_t n_items = PyDict_Size(object);
	const char *refusal = n_items > OBJECT_MAX_KEYS
				      ? "more than 4096 keys" VALUE_LIMIT
				      : enter_container(conversion, object, (size_t)n_items);
	PyObject *items;
	struct value *value;

	if (refusal)
		return opaque(conversion, object, refusal);
	items = PyDict_Items(object); /* read again each time: items' methods may change it */
	value = value_map(conversion->arena);
	for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
		PyObject *pair = PyList_GetItem(items, i);
		const char *key = key_text(conversion, PyTuple_GetItem(pair, 0), i);
		size_t n_reserved = conversion->depth == 1 && conversion->items_left > KEYS_RESERVE
					    ? KEYS_RESERVE
					    : 0;

		conversion->items_left -= n_reserved;
		value_set(conversion->arena, value, key,
			convert_object_within(conversion, PyTuple_GetItem(pair, 1)));
		conversion->items_left += n_reserved;
	}
	Py_DecRef(items);
	object_drop_error();
	conversion->depth--;
	return value;
}

static bool is_numpy_bool(struct arena *arena, PyObject *object)
{
	const char *type = object_type_name(arena, object);

	return !strcmp(type, "numpy.bool") || !strcmp(type, "numpy.bool_");
}

/* Objects of other types: NumPy's booleans, integers by __index__; anything else is an opaque. */
static struct value *convert_foreign(struct conversion *conversion, PyObject *object)
{
	int truth;

	if (is_numpy_bool(conversion->arena, object)) {
		truth = PyObject_IsTrue(object);
		if (truth >= 0)
			return with_type(conversion->arena, value_bool(conversion->arena, truth),
				object, false);
		object_drop_error();
	}
	if (PyIndex_Check(object))
		return convert_index(conversion, object);
	return plain_opaque(conversion->arena, object);
}

static struct value *convert_object_within(struct conversion *conversion, PyObject *object)
{
	struct arena *arena = conversion->arena;

	if (object == Py_None)
		return value_null(arena);
	if (PyBool_Check(object))
		return value_bool(arena, object == Py_True);
	if (PyLong_Check(object))
		return with_type(arena, convert_integer(conversion, object), object,
			PyLong_CheckExact(object));
	if (PyFloat_Check(object))
		return with_type(arena, value_real(arena, PyFloat_AsDouble(object)), object,
			PyFloat_CheckExact(object));
	if (PyUnicode_Check(object))
		return with_type(arena, convert_text(conversion, object), object,
			PyUnicode_CheckExact(object));
	if (PyBytes_Check(object) || PyByteArray_Check(object))
		return with_type(arena, convert_bytes(conversion, object), object,
			PyBytes_CheckExact(object));
	if (PyList_Check(object) || PyTuple_Check(object))
		return with_type(arena, convert_sequence(conversion, object), object,
			PyList_CheckExact(object) || PyTuple_CheckExact(object));
	if (PyDict_Check(object))
		return with_type(arena, convert_dictionary(conversion, object), object,
			PyDict_CheckExact(object));
	return convert_foreign(conversion, object);
}

struct value *object_to_value(struct arena *arena, PyObject *object)
{
	struct conversion conversion = {
		.arena = arena,
		.items_left = OBJECT_MAX_ITEMS,
		.bytes_left = OBJECT_MAX_TEXT_BYTES,
	};

	return convert_object_within(&conversion, object);
}

/* The descriptor of a slot of types; NULL: not read yet. */
struct type_slot {
	const char *name;
	PyObject *descriptor;
};

static struct type_slot order_slot = { .name = "__mro__" };
static struct type_slot dictionary_slot = { .name = "__dict__" };
static struct type_slot module_slot = { .name = "__module__" };

/*
 * Reads a slot of a type by its descriptor in type.__dict__, which nothing can replace: a
 * metaclass's own __getattribute__, __mro__ or __dict__ is not run. A new reference, or NULL.
 */
static PyObject *read_type_slot(PyTypeObject *type, struct type_slot *slot)
{
	PyObject *names, *found = NULL;
	descrgetfunc get;

	if (!slot->descriptor) {
		names = PyObject_GetAttrString((PyObject *)&PyType_Type, "__dict__");
		slot->descriptor = names ? PyMapping_GetItemString(names, slot->name) : NULL;
		Py_DecRef(names);
	}
	if (slot->descriptor) {
		get = (descrgetfunc)PyType_GetSlot(Py_TYPE(slot->descriptor), Py_tp_descr_get);
		found = get(
			slot->descriptor, (PyObject *)type, (PyObject *)Py_TYPE((PyObject *)type));
	}
	object_drop_error();
	return found;
}

/* A part of a type's name as text in the arena, with zeros and invalid UTF-8 escaped; NULL if it is
 * not text. Takes the reference. */
static char *take_name(struct arena *arena, PyObject *text)
{
	PyObject *zero = PyUnicode_FromStringAndSize("", 1);
	PyObject *escape = PyUnicode_FromString("\\x00");
	PyObject *escaped = NULL, *bytes = NULL;
	char *start, *copy = NULL;
	Py_ssize_t n_bytes;

	if (text && zero && escape && PyUnicode_Check(text))
		escaped = PyUnicode_Replace(text, zero, escape, -1);
	if (escaped)
		bytes = PyUnicode_AsEncodedString(escaped, "utf-8", "backslashreplace");
	if (bytes && !PyBytes_AsStringAndSize(bytes, &start, &n_bytes)) {
		size_t n_kept = utf8_truncated(start, (size_t)n_bytes, TYPE_NAME_MAX_BYTES);

		copy = arena_printf(
			arena, "%.*s%s", (int)n_kept, start, n_kept < (size_t)n_bytes ? "..." : "");
	}
	Py_DecRef(bytes);
	Py_DecRef(escaped);
	Py_DecRef(escape);
	Py_DecRef(zero);
	Py_DecRef(text);
	object_drop_error();
	return copy;
}

static char *name_of_type(struct arena *arena, PyTypeObject *type)
{
	char *name = take_name(arena, PyType_GetQualName(type));
	char *module = take_name(arena, read_type_slot(type, &module_slot));

	if (!name)
		return arena_copy(arena, "?", 1);
	if (!module || !strcmp(module, "builtins"))
		return name;
	return arena_printf(arena, "%s.%s", module, name);
}

char *object_type_name(struct arena *arena, PyObject *object)
{
	return name_of_type(arena, Py_TYPE(object));
}

/* tp_mro of the object's type: a new reference to a tuple of types, or NULL. */
static PyObject *resolution_order(PyObject *object)
{
	PyObject *order = read_type_slot(Py_TYPE(object), &order_slot);

	if (order && PyTuple_Check(order))
		return order;
	Py_DecRef(order);
	return NULL;
}

struct fact_texts object_mro(struct arena *arena, PyObject *object)
{
	PyObject *order = resolution_order(object);
	Py_ssize_t n_types = order ? PyTuple_Size(order) : 0;
	struct fact_texts names = { .known = true };

	for (Py_ssize_t i = 0; i < n_types && i < TYPE_MAX_BASES; i++) {
		PyObject *type = PyTuple_GetItem(order, i);

		if (PyType_Check(type))
			fact_texts_add(arena, &names, name_of_type(arena, (PyTypeObject *)type));
	}
	Py_DecRef(order);
	return names;
}

/* Whether the type's own dictionary, not a base's, has the name. */
static bool type_defines(PyObject *type, const char *name)
{
	PyObject *names = read_type_slot((PyTypeObject *)type, &dictionary_slot);
	bool is_there = names && PyMapping_HasKeyString(names, name) == 1;

	Py_DecRef(names);
	object_drop_error();
	return is_there;
}

/* The last type with the same getbuffer as the object's type, from which it is inherited. */
static PyObject *find_getbuffer(PyObject *object, PyObject *order)
{
	const void *slot = PyType_GetSlot(Py_TYPE(object), Py_bf_getbuffer);
	PyObject *found = NULL;

	object_drop_error();
	for (Py_ssize_t i = 0; slot && i < PyTuple_Size(order); i++) {
		PyObject *type = PyTuple_GetItem(order, i);

		if (PyType_Check(type) &&
			PyType_GetSlot((PyTypeObject *)type, Py_bf_getbuffer) == slot)
			found = type;
		object_drop_error();
	}
	return found;
}

/* The type of the object's resolution order that defines the attribute: borrowed from order. */
static PyObject *find_definer(PyObject *object, PyObject *order, const char *attribute)
{
	bool is_buffer = !strcmp(attribute, buffer_protocol.attribute);

	if (is_buffer && Py_Version < BUFFER_METHOD_SINCE)
		return find_getbuffer(object, order);
	for (Py_ssize_t i = 0; i < PyTuple_Size(order); i++) {
		PyObject *type = PyTuple_GetItem(order, i);

		if (PyType_Check(type) && type_defines(type, is_buffer ? "__buffer__" : attribute))
			return type;
	}
	return is_buffer ? find_getbuffer(object, order) : NULL;
}

const char *object_definer(struct arena *arena, PyObject *object, const char *attribute)
{
	PyObject *order = resolution_order(object);
	PyObject *type = order ? find_definer(object, order, attribute) : NULL;
	const char *name = type ? name_of_type(arena, (PyTypeObject *)type) : NULL;

	Py_DecRef(order);
	return name;
}

bool object_type_has(PyObject *object, const char *attribute)
{
	PyObject *order = resolution_order(object);
	bool has = order && find_definer(object, order, attribute);

	Py_DecRef(order);
	return has;
}

int object_attribute(PyObject *object, const char *name, PyObject **out)
{
	*out = PyObject_GetAttrString(object, name);
	if (*out)
		return 1;
	if (!PyErr_ExceptionMatches(PyExc_AttributeError))
		return -1;
	object_drop_error();
	return 0;
}

void object_close_coroutine(PyObject *object)
{
	struct arena arena = { 0 };

	if (object && !PyCapsule_CheckExact(object) &&
		!strcmp(object_type_name(&arena, object), "coroutine")) {
		Py_DecRef(PyObject_CallMethod(object, "close", NULL));
		object_drop_error();
	}
	arena_free(&arena);
}

void object_collect_garbage(void)
{
	PyObject *gc = import_for_suai("gc");

	if (gc)
		Py_DecRef(PyObject_CallMethod(gc, "collect", NULL));
	Py_DecRef(gc);
	object_drop_error();
}

int64_t object_references(PyObject *object)
{
	PyObject *function = PySys_GetObject("getrefcount"); /* borrowed */
	PyObject *number = function ? PyObject_CallFunctionObjArgs(function, object, NULL) : NULL;
	int64_t n = number ? PyLong_AsLongLong(number) : -1;

	Py_DecRef(number);
	object_drop_error();
	return n;
}

/* --- values as new Python objects, such as keyword arguments --- */

static PyObject *sequence_from_value(const struct value *value)
{
	bool is_list = value->kind == VALUE_LIST;
	Py_ssize_t n_items = (Py_ssize_t)value->n_items;
	PyObject *sequence = is_list ? PyList_New(n_items) : PyTuple_New(n_items);

	for (Py_ssize_t i = 0; sequence && i < n_items; i++) {
		PyObject *item = object_from_value(value->items[i]);

		if (!item) {
			Py_DecRef(sequence);
			return NULL;
		}
		if (is_list)
			PyList_SetItem(sequence, i, item);
		else
			PyTuple_SetItem(sequence, i, item);
	}
	return sequence;
}

static PyObject *dictionary_from_value(const struct value *value)
{
	PyObject *dictionary = PyDict_New();

	for (size_t i = 0; dictionary && i < value->n_items; i++) {
		PyObject *item = object_from_value(value->items[i]);

		if (!item || PyDict_SetItemString(dictionary, value->keys[i], item)) {
			Py_DecRef(dictionary);
			dictionary = NULL;
		}
		Py_DecRef(item);
	}
	return dictionary;
}

PyObject *object_from_value(const struct value *value)
{
	switch (value->kind) {
	case VALUE_BOOL:
		return PyBool_FromLong(value->boolean);
	case VALUE_INT:
		return PyLong_FromLongLong(value->integer);
	case VALUE_WIDE_INT:
		return PyLong_FromString(value->bytes, NULL, 10);
	case VALUE_REAL:
		return PyFloat_FromDouble(value->real);
	case VALUE_TEXT:
		return PyUnicode_DecodeUTF8(
			value->bytes, (Py_ssize_t)value->n_bytes, "surrogatepass");
	case VALUE_BYTES:
		return PyBytes_FromStringAndSize(value->bytes, (Py_ssize_t)value->n_bytes);
	case VALUE_LIST:
	case VALUE_TUPLE:
		return sequence_from_value(value);
	case VALUE_MAP:
		return dictionary_from_value(value);
	case VALUE_NULL:
		break;
	case VALUE_OPAQUE:
		PyErr_Format(PyExc_TypeError, "cannot make a Python object from %s", value->bytes);
		return NULL;
	}
	Py_IncRef(Py_None);
	return Py_None;
}
