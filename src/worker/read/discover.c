// SPDX-License-Identifier: MIT
/*
 * The targets of a module: its objects that expose an interface, each once, also those in its
 * lists, tuples and dictionaries, and the expressions of the job.
 */
#include "worker/read/discover.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "base/python_code.h"
#include "base/text.h"
#include "protocols/protocol.h"
#include "worker/capture/attribute.h"
#include "worker/python/expression.h"

#include <string.h>

enum {
	MAX_ITEMS = 100,     /* of a container */
	MAX_EXAMINED = 5000, /* items of all containers */
	MAX_DEPTH = 3,       /* containers in containers */
	MAX_SKIPPED = 3,     /* and in those that are only counted */
	MAX_KEY_BYTES = 200,
};

struct search {
	struct arena *arena;
	const struct job *job;
	struct target_plan *plan;
	bool with_buffers;  /* objects with only a buffer count, but bytes do not */
	bool omits_scalars; /* such as numpy.int64(3) in the shape of an array */
	PyObject *found;    /* indices in plan.items by the addresses of their objects; or NULL */
	PyObject *entered;  /* containers by address, which it keeps; or NULL */
	PyObject *buffers;  /* the same of objects that expose only a buffer */
	size_t n_examined, n_counted;
};

static void search_end(struct search *search)
{
	Py_DecRef(search->found);
	Py_DecRef(search->entered);
	Py_DecRef(search->buffers);
}

/* --- what exposes an interface --- */

/* Looking up an attribute may run the object's code, so it is a step named after both. */
static bool exposes_protocol(
	struct arena *arena, const char *name, PyObject *object, const char *attribute)
{
	return attribute_exposes(object, attribute, arena_printf(arena, "%s.%s", name, attribute));
}

static bool exposes_any(const struct search *search, const char *name, PyObject *object)
{
	const struct job *job = search->job;

	for (size_t i = 0; protocols[i]; i++) {
		if (!value_lists_text(job->protocols, protocols[i]->name))
			continue;
		if (protocols[i] == &buffer_protocol) {
			if ((job->protocols_named ||
				    (search->with_buffers && !PyBytes_CheckExact(object))) &&
				PyObject_CheckBuffer(object))
				return true;
		} else if (exposes_protocol(search->arena, name, object, protocols[i]->attribute)) {
			return true;
		}
	}
	/* An object with only the other half of DLPack is a target too: that is a defect. */
	return value_lists_text(job->protocols, dlpack_protocol.name) &&
	       exposes_protocol(search->arena, name, object, "__dlpack_device__");
}

/* Values that are no arrays and that containers have by the thousand. */
static bool is_scalar(PyObject *object)
{
	return object == Py_None || PyUnicode_CheckExact(object) || PyLong_CheckExact(object) ||
	       PyFloat_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object);
}

static bool is_numpy_scalar(struct arena *arena, PyObject *object)
{
	const struct fact_texts mro = object_mro(arena, object);

	return fact_texts_have(&mro, "numpy.generic");
}

static bool may_be_target(PyObject *object)
{
	return !PyType_Check(object) && !PyModule_Check(object) && !is_scalar(object);
}

/* --- objects by address --- */

/* A borrowed reference to the value; NULL: none. dictionary: or NULL. */
static PyObject *find_by_address(PyObject *dictionary, PyObject *object)
{
	PyObject *key = dictionary ? PyLong_FromVoidPtr(object) : NULL;
	PyObject *value = key ? PyDict_GetItemWithError(dictionary, key) : NULL;

	Py_DecRef(key);
	PyErr_Clear();
	return value;
}

static void add_by_address(PyObject **dictionary, PyObject *object, PyObject *value)
{
	PyObject *key = PyLong_FromVoidPtr(object);

	if (!*dictionary)
		*dictionary = PyDict_New();
	if (*dictionary && key)
		PyDict_SetItem(*dictionary, key, value);
	Py_DecRef(key);
	PyErr_Clear();
}

/* False: it was added before. */
static bool add_object_once(PyObject **objects, PyObject *object)
{
	if (find_by_address(*objects, object))
		return false;
	add_by_address(objects, object, object);
	return true;
}

/* --- the plan --- */

static void plan_add(struct search *search, struct found found)
{
	struct target_plan *plan = search->plan;
	PyObject *index = found.object ? PyLong_FromSize_t(plan->n_items) : NULL;

	if (index)
		add_by_address(&search->found, found.object, index);
	Py_DecRef(index);
	plan->items = arena_grow(search->arena, plan->items, plan->n_items, sizeof(*plan->items));
	plan->items[plan->n_items++] = found;
}

/* The item of the object; NULL: none. */
static struct found *find_planned(const struct search *search, PyObject *object)
{
	PyObject *index = find_by_address(search->found, object);

	return index ? &search->plan->items[PyLong_AsSize_t(index)] : NULL;
}

static void plan_notice(struct search *search, const char *text)
{
	fact_texts_add(search->arena, &search->plan->notices, text);
}

/* Adds an object that exposes an interface, or its name to those of an object already found. */
static bool add_object(struct search *search, PyObject *object, const char *name)
{
	struct found *known = find_planned(search, object);

	if (known) {
		fact_texts_add(search->arena, &known->aliases, name);
		return true;
	}
	if ((search->omits_scalars && is_numpy_scalar(search->arena, object)) ||
		!exposes_any(search, name, object))
		return false;
	Py_IncRef(object);
	plan_add(search, (struct found){ .object = object, .name = name });
	return true;
}

/* --- containers --- */

static bool has_storage(PyObject *object)
{
	return PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object);
}

/* Whether the type's subscripts are those of base, so that object[key] runs no code of the user. A
 * metaclass may run code when its attributes are read: no. */
static bool has_subscripts_of(PyObject *object, PyObject *base)
{
	PyObject *type = (PyObject *)Py_TYPE(object), *own, *inherited;
	bool has;

	if (type == base || Py_TYPE(type) != &PyType_Type)
		return type == base;
	own = PyObject_GetAttrString(type, "__getitem__");
	inherited = PyObject_GetAttrString(base, "__getitem__");
	has = own && own == inherited;
	Py_DecRef(inherited);
	Py_DecRef(own);
	PyErr_Clear();
	return has;
}

/* A list, tuple or dictionary, or an instance of a subclass whose subscripts are the same. Its
 * items are read from its storage, without code of the user. */
bool target_is_container(PyObject *object)
{
	return (PyList_Check(object) && has_subscripts_of(object, (PyObject *)&PyList_Type)) ||
	       (PyTuple_Check(object) && has_subscripts_of(object, (PyObject *)&PyTuple_Type)) ||
	       (PyDict_Check(object) && has_subscripts_of(object, (PyObject *)&PyDict_Type));
}

/* A container whose items are counted, but are no targets. */
static bool is_countable(struct arena *arena, PyObject *object)
{
	return has_storage(object) || !strcmp(object_type_name(arena, object), "collections.deque");
}

/* Whether repr() of the key is an expression for it. */
static bool is_literal(PyObject *key, int depth)
{
	bool is = is_scalar(key) || PyBytes_CheckExact(key);

	if (PyFloat_CheckExact(key) || PyComplex_CheckExact(key))
		return false; /* nan and inf are names */
	if (!PyTuple_CheckExact(key) || depth > MAX_DEPTH)
		return is;
	for (Py_ssize_t i = 0; i < PyTuple_Size(key); i++)
		if (!is_literal(PyTuple_GetItem(key, i), depth + 1))
			return false;
	return true;
}

/* The key as Python code: "key" in double quotes, which need none in a shell's single quotes. NULL:
 * none denotes it. */
static const char *write_key_literal(struct arena *arena, PyObject *key)
{
	PyObject *text = is_literal(key, 0) ? PyObject_Repr(key) : NULL;
	const char *code = text ? fact_text(arena, object_to_value(arena, text)) : NULL;
	size_t n_bytes = code ? strlen(code) : 0;

	Py_DecRef(text);
	PyErr_Clear();
	if (!n_bytes || n_bytes > MAX_KEY_BYTES)
		return NULL;
	if (code[0] == '\'' && !strpbrk(code, "\"\\"))
		return arena_printf(arena, "\"%.*s\"", (int)n_bytes - 2, code + 1);
	return code;
}

static void search_container(
	struct search *search, PyObject *container, const char *name, int depth);
static void skip_container(struct search *search, PyObject *container, const char *name);

/* key NULL: no expression denotes the item. False: it is not a target and contains none. */
static bool search_item(
	struct search *search, PyObject *item, const char *container, const char *key, int depth)
{
	const char *name = arena_printf(search->arena, "%s[%s]", container, key ? key : "...");
	size_t n_before = search->plan->n_items;

	if (!key)
		return exposes_any(search, name, item);
	if (add_object(search, item, name))
		return true;
	if (target_is_container(item) && depth < MAX_DEPTH)
		search_container(search, item, name, depth + 1);
	else
		skip_container(search, item, name);
	return search->plan->n_items > n_before;
}

/* Whether one more item may be examined; states once where the search of containers stopped. */
static bool may_examine(struct search *search, const char *name)
{
	if (search->n_examined++ < MAX_EXAMINED)
		return true;
	if (search->plan->stopped_at)
		return false;
	search->plan->stopped_at = name;
	plan_notice(search,
		arena_printf(search->arena,
			"%s: stopped after %d items of containers; the remaining ones were not examined",
			name, MAX_EXAMINED));
	return false;
}

/* The first items as a list of pairs (key, value) or of values: user code that attributes run may
 * change the container. */
static PyObject *copy_items(PyObject *container)
{
	PyObject *items, *key, *value;
	Py_ssize_t position = 0;

	if (PyList_Check(container))
		return PyList_GetSlice(container, 0, MAX_ITEMS);
	items = PyList_New(0);
	if (PyDict_Check(container)) {
		/* The garbage collector may run code that removes the pair. */
		while (items && PyList_Size(items) < MAX_ITEMS &&
			PyDict_Next(container, &position, &key, &value)) {
			PyObject *pair;

			Py_IncRef(key);
			Py_IncRef(value);
			pair = PyTuple_Pack(2, key, value);
			if (pair)
				PyList_Append(items, pair);
			Py_DecRef(pair);
			Py_DecRef(value);
			Py_DecRef(key);
		}
		return items;
	}
	if (!PyTuple_Check(container)) { /* a deque, whose items are read in C */
		Py_DecRef(items);
		return PySequence_List(container);
	}
	for (Py_ssize_t i = 0; items && i < PyTuple_Size(container) && i < MAX_ITEMS; i++)
		PyList_Append(items, PyTuple_GetItem(container, i));
	return items;
}

static Py_ssize_t container_size(PyObject *container)
{
	return PyDict_Check(container)   ? PyDict_Size(container)
	       : PyList_Check(container) ? PyList_Size(container)
					 : PyTuple_Size(container);
}

static bool rest_may_have_target(
	const struct search *search, PyObject *container, Py_ssize_t n_before, int depth);

static bool may_have_target(const struct search *search, PyObject *item, int depth)
{
	if (!may_be_target(item) || PyBytes_CheckExact(item) || find_planned(search, item))
		return false;
	if (!has_storage(item) || depth >= MAX_DEPTH)
		return true;
	return !find_by_address(search->entered, item) &&
	       rest_may_have_target(search, item, 0, depth + 1);
}

/* Whether an item after the first n_before may be a target, by its type; runs none of its code. */
static bool rest_may_have_target(
	const struct search *search, PyObject *container, Py_ssize_t n_before, int depth)
{
	PyObject *key, *value;
	Py_ssize_t position = 0, n_items = container_size(container);

	if (PyDict_Check(container)) {
		while (PyDict_Next(container, &position, &key, &value))
			if (n_before-- <= 0 && may_have_target(search, value, depth))
				return true;
		return false;
	}
	for (Py_ssize_t i = n_before; i < n_items; i++) {
		value = PyList_Check(container) ? PyList_GetItem(container, i)
						: PyTuple_GetItem(container, i);
		if (may_have_target(search, value, depth))
			return true;
	}
	return false;
}

/* States what was not examined, unless it cannot have targets. */
static void tell_omitted(struct search *search, PyObject *container, const char *name,
	Py_ssize_t n_items, int n_unnamed, bool has_target)
{
	if (n_unnamed)
		plan_notice(search,
			arena_printf(search->arena,
				"%s: skipped %d array%s with keys that suai does not write as literals; name an expression",
				name, n_unnamed, plural(n_unnamed)));
	if (n_items > MAX_ITEMS &&
		(has_target || rest_may_have_target(search, container, MAX_ITEMS, 1)))
		plan_notice(search, arena_printf(search->arena,
					    "%s: only the first %d of %zd items were examined",
					    name, MAX_ITEMS, n_items));
}

static void search_container(
	struct search *search, PyObject *container, const char *name, int depth)
{
	bool is_dictionary = PyDict_Check(container);
	Py_ssize_t n_items = container_size(container);
	PyObject *items =
		add_object_once(&search->entered, container) ? copy_items(container) : NULL;
	size_t n_before = search->plan->n_items;
	int n_unnamed = 0;

	for (Py_ssize_t i = 0; items && i < PyList_Size(items) && i < MAX_ITEMS; i++) {
		PyObject *item = PyList_GetItem(items, i);
		const char *key;
		bool found;

		if (is_dictionary && !may_be_target(PyTuple_GetItem(item, 1)))
			continue;
		key = is_dictionary ? write_key_literal(search->arena, PyTuple_GetItem(item, 0))
				    : arena_printf(search->arena, "%zd", i);
		item = is_dictionary ? PyTuple_GetItem(item, 1) : item;
		if (!may_be_target(item))
			continue;
		if (!may_examine(search, name))
			break;
		found = search_item(search, item, name, key, depth);
		n_unnamed += found && !key;
	}
	if (items)
		tell_omitted(search, container, name, n_items, n_unnamed,
			search->plan->n_items > n_before);
	Py_DecRef(items);
	PyErr_Clear();
}

static bool seek_item(struct search *search, PyObject *container, const char *name, int depth,
	bool (*is_sought)(PyObject *object), struct found *out)
{
	PyObject *items =
		add_object_once(&search->entered, container) ? copy_items(container) : NULL;
	bool is_dictionary = PyDict_Check(container);

	for (Py_ssize_t i = 0; items && !out->object && i < PyList_Size(items); i++) {
		PyObject *item = PyList_GetItem(items, i);
		PyObject *value = is_dictionary ? PyTuple_GetItem(item, 1) : item;
		const char *key, *item_name;

		if (!may_be_target(value) || search->n_examined++ >= MAX_EXAMINED)
			continue;
		key = is_dictionary ? write_key_literal(search->arena, PyTuple_GetItem(item, 0))
				    : arena_printf(search->arena, "%zd", i);
		if (!key)
			continue;
		item_name = arena_printf(search->arena, "%s[%s]", name, key);
		if (is_sought(value)) {
			Py_IncRef(value);
			*out = (struct found){ .object = value, .name = item_name };
		} else if (target_is_container(value) && depth < MAX_DEPTH) {
			seek_item(search, value, item_name, depth + 1, is_sought, out);
		}
	}
	Py_DecRef(items);
	PyErr_Clear();
	return out->object != NULL;
}

static int count_arrays(struct search *search, PyObject *container, const char *name, int depth)
{
	PyObject *items = copy_items(container);
	bool is_dictionary = PyDict_Check(container);
	int n_arrays = 0;

	for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
		PyObject *item = PyList_GetItem(items, i);

		item = is_dictionary ? PyTuple_GetItem(item, 1) : item;
		if (!may_be_target(item) || find_planned(search, item))
			continue;
		if (search->n_counted++ >= MAX_EXAMINED)
			break;
		if (exposes_any(search, name, item))
			n_arrays++;
		else if (is_countable(search->arena, item) && depth < MAX_SKIPPED)
			n_arrays += count_arrays(search, item, name, depth + 1);
	}
	Py_DecRef(items);
	PyErr_Clear();
	return n_arrays;
}

/* States how many arrays the container has that are not targets: it is nested too deep, or no
 * subscripts denote its items. */
static void skip_container(struct search *search, PyObject *container, const char *name)
{
	int n_arrays = is_countable(search->arena, container)
			       ? count_arrays(search, container, name, 1)
			       : 0;

	if (!n_arrays)
		return;
	if (target_is_container(container))
		plan_notice(search,
			arena_printf(search->arena,
				"%s: skipped %d array%s nested more than %d levels deep; name an expression",
				name, n_arrays, plural(n_arrays), MAX_DEPTH));
	else
		plan_notice(search,
			arena_printf(search->arena,
				"%s: skipped %d array%s in an object of type %s; name an expression",
				name, n_arrays, plural(n_arrays),
				object_type_name(search->arena, container)));
}

/* --- the module --- */

/* Whether the buffer is the only interface of the object, whatever -p selects. */
static bool exposes_only_buffer(PyObject *object)
{
	for (size_t i = 0; protocols[i]; i++)
		if (protocols[i] != &buffer_protocol && !protocols[i]->is_of_files &&
			object_type_has(object, protocols[i]->attribute))
			return false;
	return PyObject_CheckBuffer(object);
}

static void search_module(struct search *search, PyObject *names, int64_t *n_buffers)
{
	PyObject *items = PyDict_Items(names);

	/* Names come first, since they are preferred over items of containers. */
	for (int of_containers = 0; items && of_containers < 2; of_containers++)
		for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
			PyObject *pair = PyList_GetItem(items, i);
			PyObject *object = PyTuple_GetItem(pair, 1);
			const char *name =
				module_public_name(search->arena, PyTuple_GetItem(pair, 0));

			if (!name || !may_be_target(object))
				continue;
			if (of_containers && target_is_container(object))
				search_container(search, object, name, 1);
			else if (of_containers && !find_planned(search, object))
				skip_container(search, object, name);
			else if (!of_containers && !add_object(search, object, name))
				*n_buffers += exposes_only_buffer(object) &&
					      add_object_once(&search->buffers, object);
		}
	Py_DecRef(items);
	PyErr_Clear();
}

/* The container that a name denotes, if it is to be searched; a borrowed reference. */
static PyObject *named_container(PyObject *names, const char *expression)
{
	PyObject *object = PyDict_GetItemString(names, expression);

	return object && target_is_container(object) ? object : NULL;
}

/* The expression, or what it contains if it is the name of a container with arrays. */
static void plan_expression(struct search *search, PyObject *names, const char *expression)
{
	struct target_plan inside = { 0 };
	struct search inner = {
		.arena = search->arena, .job = search->job, .plan = &inside, .with_buffers = true
	};
	PyObject *container = named_container(names, expression);

	if (container && !exposes_any(search, expression, container))
		search_container(&inner, container, expression, 1);
	for (size_t i = 0; i < inside.notices.n_items; i++)
		plan_notice(search, inside.notices.items[i]);
	for (size_t i = 0; i < inside.n_items; i++) {
		inside.items[i].is_named = true;
		plan_add(search, inside.items[i]);
	}
	if (inside.n_items)
		search->plan->is_expanded = true;
	else
		plan_add(search, (struct found){ .name = expression, .is_named = true });
	search_end(&inner);
}

void target_discover(
	struct arena *arena, const struct job *job, PyObject *names, struct target_plan *plan)
{
	const struct job_words *expressions = &job->module.expressions;
	struct search search = { .arena = arena, .job = job, .plan = plan };

	*plan = (struct target_plan){ .notices = { .known = true } };
	if (job->module.all_objects)
		search_module(&search, names, &plan->n_buffers);
	plan->n_found = plan->n_items;
	for (size_t i = 0; i < expressions->n_items; i++)
		plan_expression(&search, names, expressions->items[i]);
	search_end(&search);
}

bool target_seek_item(struct arena *arena, PyObject *container, const char *expression,
	bool (*is_sought)(PyObject *object), struct found *item)
{
	struct search search = { .arena = arena };
	bool is_there = target_is_container(container) &&
			seek_item(&search, container, expression_as_primary(arena, expression), 1,
				is_sought, item);

	search_end(&search);
	return is_there;
}

/* The instance's own attributes, without code of the user: a new dictionary; NULL: none. */
static PyObject *copy_attributes(PyObject *object)
{
	PyObject *own = may_be_target(object) ? PyObject_GenericGetDict(object, NULL) : NULL;
	PyObject *copy = own && PyDict_Check(own) ? PyDict_Copy(own) : NULL;

	Py_DecRef(own);
	PyErr_Clear();
	return copy;
}

/* A pointer, a function or a single value of ctypes, such as the handle of a C library. */
static bool is_ctypes_value(struct arena *arena, PyObject *object)
{
	static const char *const bases[] = { "_ctypes._SimpleCData", "_ctypes._Pointer",
		"_ctypes.CFuncPtr" };
	const struct fact_texts mro = object_mro(arena, object);

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++)
		if (fact_texts_have(&mro, bases[i]))
			return true;
	return false;
}

static void search_attributes(struct search *search, PyObject *object, const char *expression)
{
	PyObject *attributes = copy_attributes(object), *key, *value;
	Py_ssize_t position = 0;

	search->omits_scalars = true;

	while (attributes && !search->plan->n_items &&
		PyDict_Next(attributes, &position, &key, &value)) {
		const char *attribute = module_public_name(search->arena, key), *name;

		if (!attribute || PyUnicode_IsIdentifier(key) != 1 || !may_be_target(value) ||
			is_ctypes_value(search->arena, value) ||
			object_type_has(object, attribute) || !may_examine(search, expression))
			continue;
		name = arena_printf(search->arena, "%s.%s", expression, attribute);
		if (!add_object(search, value, name) && target_is_container(value))
			search_container(search, value, name, 1);
	}
	Py_DecRef(attributes);
}

const char *target_first_item(
	struct arena *arena, const struct job *job, PyObject *object, const char *expression)
{
	struct target_plan items = { 0 };
	struct search search = { .arena = arena, .job = job, .plan = &items, .with_buffers = true };

	if (target_is_container(object))
		search_container(&search, object, expression_as_primary(arena, expression), 1);
	else
		search_attributes(&search, object, expression_as_primary(arena, expression));
	for (size_t i = 0; i < items.n_items; i++)
		Py_DecRef(items.items[i].object);
	search_end(&search);
	return items.n_items ? items.items[0].name : NULL;
}
