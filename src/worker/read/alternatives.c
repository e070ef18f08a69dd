// SPDX-License-Identifier: MIT
/* One row of a table for each attribute from which an array can be obtained. */
#include "worker/read/alternatives.h"

#include "base/array_size.h"
#include "base/python_code.h"
#include "base/text.h"
#include "model/array_methods.h"
#include "protocols/protocol.h"
#include "worker/process/fork.h"
#include "worker/process/step.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/object.h"
#include "worker/read/discover.h"

#include <string.h>

enum { MAX_OBJECTS = 8 };

static bool is_sequence_of_numbers(PyObject *object);
static bool is_function_without_parameters(PyObject *object);

#define METHOD_ALTERNATIVE(name, with, call, is_large)                       \
	{                                                                    \
		.attribute = (name), .accompanied = (with), .shown = (call), \
		.expression = "$." call                                      \
	}

/* In order of preference. In an expression $ is the object, and @ the module. Arrow's nested types,
 * texts and nulls have no DLPack, so its arrays are converted further. */
static const struct alternative {
	const char *attribute;             /* of the type */
	const char *accompanied;           /* by this attribute of the type; or NULL */
	bool (*applies)(PyObject *object); /* instead of an attribute, which only describes it; for
					      objects that the user named */
	const char *shown;
	const char *module; /* that the expression requires; NULL: none */
	const char *expression;
} alternatives[] = {
	{ .attribute = "to_numpy", .shown = "to_numpy()", .expression = "$.to_numpy()" },
	{ .attribute = "__array__",
		.shown = "__array__",
		.module = "numpy",
		.expression = "@.asarray($)" },
	{ .attribute = "numpy", .shown = "numpy()", .expression = "$.numpy()" },
	ARRAY_METHOD_LIST(METHOD_ALTERNATIVE),
	{ .attribute = "samples_mv",
		.accompanied = "colorspace",
		.shown = "samples_mv",
		.module = "numpy", /* pixmaps of PyMuPDF */
		.expression = "@.ndarray(($.height, $.width, $.n), \"u1\", $.samples_mv)" },
	{ .attribute = "buf",
		.accompanied = "unlink",
		.shown = "buf",
		.expression = "$.buf" }, /* shared memory of multiprocessing */
	{ .attribute = "collect",
		.accompanied = "collect_schema",
		.shown = "collect",
		.expression = "$.collect().to_numpy()" }, /* lazy frames of Polars */
	{ .attribute = "visititems",
		.shown = "visititems",
		.expression =
			"$.visititems(lambda name, item: item[()] if hasattr(item, \"dtype\") else None)" }, /* h5py */
	{ .attribute = "to_dataarray",
		.shown = "to_dataarray()",
		.expression = "$.to_dataarray().to_numpy()" },
	{ .attribute = "__arrow_c_device_array__",
		.shown = "__arrow_c_device_array__",
		.module = "pyarrow",
		.expression = "@.array($).to_numpy(zero_copy_only=False)" },
	{ .attribute = "__arrow_c_array__",
		.shown = "__arrow_c_array__",
		.module = "pyarrow",
		.expression = "@.array($).to_numpy(zero_copy_only=False)" },
	{ .attribute = "as_arrow_array",
		.shown = "as_arrow_array()",
		.expression = "$.as_arrow_array().to_numpy(zero_copy_only=False)" }, /* Rerun */
	/* Arrow's stream of a table is one of records. Not called as a method by suai why, since
	 * the table can exceed the memory. */
	{ .attribute = "to_pandas",
		.shown = "to_pandas",
		.module = "pandas",
		.expression = "$.to_pandas().to_numpy()" },
	{ .attribute = "to_df",
		.accompanied = "fetchnumpy",
		.shown = "to_df",
		.module = "pandas",
		.expression = "$.to_df().to_numpy()" }, /* DuckDB */
	{ .attribute = "__arrow_c_stream__",
		.shown = "__arrow_c_stream__",
		.module = "pyarrow",
		.expression = "@.chunked_array($).to_numpy()" },
	{ .attribute = "__dataframe__",
		.shown = "__dataframe__",
		.module = "pandas",
		.expression = "@.api.interchange.from_dataframe($).to_numpy()" },
	{ .applies = is_sequence_of_numbers,
		.shown = "numbers",
		.module = "numpy",
		.expression = "@.asarray($)" },
	{ .applies = is_function_without_parameters,
		.shown = "no required parameters",
		.expression = "$()" },
};

/* Types whose attribute raises an exception for all or for some of their objects. */
static const struct raising_attribute {
	const char *type, *attribute;
	bool is_always;
} raising_attributes[] = {
	{ "xarray.core.dataset.Dataset", "__array__", true },
	{ "awkward.highlevel.Array", "to_numpy", false }, /* lists of different lengths */
	{ "awkward.highlevel.Array", "__array__", false },
	{ "arro3.core._core.Array", "to_numpy", false }, /* nulls, decimal numbers */
	{ "arro3.core._core.Array", "__array__", false },
	{ "arro3.core._core.ChunkedArray", "to_numpy", false },
	{ "arro3.core._core.ChunkedArray", "__array__", false },
	{ "graphblas.core.matrix.Matrix", "__array__", true },
	{ "graphblas.core.vector.Vector", "__array__", true },
	{ "sparse.numba_backend._coo.core.COO", "__array__", true },
	{ "sparse.numba_backend._compressed.compressed.GCXS", "__array__", true },
	{ "sparse.numba_backend._dok.DOK", "__array__", true },
	{ "dask.dataframe.dask_expr._collection.DataFrame", "__dataframe__", true },
};

static bool has_attribute_of(PyObject *object, const struct alternative *alternative)
{
	return alternative->attribute && object_type_has(object, alternative->attribute) &&
	       (!alternative->accompanied || object_type_has(object, alternative->accompanied));
}

/* NULL: the attribute is not known to raise. */
static const struct raising_attribute *find_raising(PyObject *object, const char *attribute)
{
	const struct raising_attribute *found = NULL;
	struct arena arena = { 0 };
	const char *type = object_type_name(&arena, object);

	for (size_t i = 0; attribute && i < ARRAY_SIZE(raising_attributes); i++)
		if (!strcmp(raising_attributes[i].type, type) &&
			!strcmp(raising_attributes[i].attribute, attribute))
			found = &raising_attributes[i];
	arena_free(&arena);
	return found;
}

/* --- what only describes an object --- */

static bool is_number(PyObject *object)
{
	return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object);
}

static bool is_sequence_of_numbers(PyObject *object)
{
	bool is_list = PyList_CheckExact(object);
	Py_ssize_t n_items = is_list                      ? PyList_Size(object)
			     : PyTuple_CheckExact(object) ? PyTuple_Size(object)
							  : 0;

	for (Py_ssize_t i = 0; i < n_items; i++)
		if (!is_number(is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i)))
			return false;
	return n_items > 0;
}

/* The attribute of a function, as an integer; -1: it has none. */
static long long integer_of(PyObject *object, const char *name)
{
	PyObject *value = object ? PyObject_GetAttrString(object, name) : NULL;
	long long integer = value && PyLong_CheckExact(value) ? PyLong_AsLongLong(value) : -1;

	Py_DecRef(value);
	object_drop_error();
	return integer;
}

/* Attributes of exactly this type run no code of the user. */
static bool is_function_without_parameters(PyObject *object)
{
	struct arena arena = { 0 };
	bool is_function = !strcmp(object_type_name(&arena, object), "function");
	PyObject *code = is_function ? PyObject_GetAttrString(object, "__code__") : NULL;
	PyObject *defaults = is_function ? PyObject_GetAttrString(object, "__defaults__") : NULL;
	long long n_defaults = defaults && PyTuple_Check(defaults) ? PyTuple_Size(defaults) : 0;
	bool applies = code && integer_of(code, "co_argcount") == n_defaults &&
		       integer_of(code, "co_kwonlyargcount") == 0;

	Py_DecRef(code);
	Py_DecRef(defaults);
	object_drop_error();
	arena_free(&arena);
	return applies;
}

/* --- expressions --- */

/* The name of the module in the dictionary; NULL: it has none. */
static const char *name_of_module(struct arena *arena, PyObject *names, PyObject *module)
{
	PyObject *key, *value;
	Py_ssize_t position = 0;

	while (PyDict_Next(names, &position, &key, &value))
		if (value == module && PyUnicode_CheckExact(key) &&
			PyUnicode_IsIdentifier(key) == 1)
			return fact_text(arena, object_to_value(arena, key));
	return NULL;
}

static bool is_installed(const char *name)
{
	PyObject *importlib = import_for_suai("importlib.util");
	PyObject *util = importlib ? PyObject_GetAttrString(importlib, "util") : NULL;
	PyObject *spec = util ? PyObject_CallMethod(util, "find_spec", "s", name) : NULL;
	bool is = spec && spec != Py_None;

	Py_DecRef(spec);
	Py_DecRef(util);
	Py_DecRef(importlib);
	object_drop_error();
	return is;
}

/* How the module is denoted: "np", or "__import__("numpy")"; NULL: it is not installed. */
static const char *denote_module(struct arena *arena, PyObject *names, const char *module)
{
	PyObject *loaded = PyDict_GetItemString(PyImport_GetModuleDict(), module); /* borrowed */
	bool is_loaded = loaded && PyModule_Check(loaded); /* None: it must not be imported */
	const char *name = is_loaded ? name_of_module(arena, names, loaded) : NULL;

	if (name)
		return name;
	if ((loaded && !is_loaded) || PyDict_GetItemString(names, "__import__") ||
		(!loaded && !is_installed(module)))
		return NULL;
	return arena_printf(arena, "__import__(\"%s\")", module);
}

/* NULL: it cannot be evaluated here. */
static const char *fill_expression(const struct capture_context *context,
	const struct alternative *alternative, const char *object)
{
	struct arena *arena = context->arena;
	const char *module = alternative->module
				     ? denote_module(arena, context->names, alternative->module)
				     : "";
	struct text text = { 0 };
	const char *filled;

	if (!module)
		return NULL;
	for (const char *at = alternative->expression; *at; at++) {
		if (*at == '@')
			text_add(&text, module);
		else if (*at == '$')
			text_add(&text, expression_as_primary(arena, object));
		else
			text_add_bytes(&text, at, 1);
	}
	filled = arena_copy(arena, text.bytes, text.n_bytes);
	text_free(&text);
	return filled;
}

/* --- the lists --- */

struct fact_texts alternatives_looked_for(struct arena *arena, const struct job *job)
{
	struct fact_texts list = { .known = true };

	for (size_t i = 0; protocols[i]; i++)
		if (value_lists_text(job->protocols, protocols[i]->name) &&
			(protocols[i] != &buffer_protocol || !job->module.all_objects ||
				job->protocols_named))
			fact_texts_add(arena, &list, protocols[i]->name);
	return list;
}

static void add_alternative(const struct capture_context *context, const char *shown,
	const char *expression, struct fact_alternative_list *list)
{
	*FACT_LIST_ADD(context->arena, list) = (struct fact_alternative){ .present = true,
		.has = shown,
		.target = expression ? job_target_name(
					       context->arena, &context->job->module, expression)
				     : NULL };
}

/* The attributes of protocols that -p excludes; false: there are none. */
static bool add_excluded_protocols(
	const struct capture_context *context, PyObject *object, struct fact_alternative_list *list)
{
	size_t n_before = list->n_items;

	for (size_t i = 0; protocols[i]; i++)
		if (protocols[i] != &buffer_protocol && !protocols[i]->is_of_files &&
			!value_lists_text(context->job->protocols, protocols[i]->name) &&
			object_type_has(object, protocols[i]->attribute))
			add_alternative(context, protocols[i]->attribute, NULL, list);
	return list->n_items > n_before;
}

/* Whether an array in host memory has one of the protocols of -p. */
static bool wants_host_arrays(const struct job *job)
{
	return value_lists_text(job->protocols, dlpack_protocol.name) ||
	       value_lists_text(job->protocols, numpy_protocol.name) ||
	       value_lists_text(job->protocols, numpy_struct_protocol.name) ||
	       value_lists_text(job->protocols, buffer_protocol.name);
}

struct tried {
	const struct capture_context *context;
	const char *expression;
};

/* In a child of this process. */
static bool exposes_interface(void *argument)
{
	const struct tried *tried = argument;
	PyObject *object =
		expression_evaluate(tried->context->names, tried->expression, "<alternative>");

	for (size_t i = 0; object && protocols[i]; i++) {
		if (protocols[i]->is_of_files ||
			!value_lists_text(tried->context->job->protocols, protocols[i]->name))
			continue;
		if (protocols[i] == &buffer_protocol
				? PyObject_CheckBuffer(object)
				: PyObject_HasAttrString(object, protocols[i]->attribute))
			return true;
	}
	return false;
}

/* Whether to suggest the expression. Evaluating it runs code of the user, which may compute, copy
 * or load data, so it is evaluated only if the job makes calls; then it must work. */
static bool is_suggested(const struct capture_context *context, const char *expression)
{
	struct tried tried = { context, expression };

	return !(context->job->facts & FACT_CALLS) ||
	       process_try(exposes_interface, &tried) == ANSWER_YES;
}

static void add_alternatives(const struct capture_context *context, const char *expression,
	PyObject *object, bool is_named, struct fact_alternative_list *list)
{
	bool makes_calls = context->job->facts & FACT_CALLS;
	bool is_open =
		!add_excluded_protocols(context, object, list) && wants_host_arrays(context->job);

	for (size_t i = 0; is_open && i < ARRAY_SIZE(alternatives); i++) {
		const struct alternative *alternative = &alternatives[i];
		const struct raising_attribute *raising =
			find_raising(object, alternative->attribute);
		const char *filled;

		if (alternative->attribute ? !has_attribute_of(object, alternative)
					   : !is_named || !alternative->applies(object))
			continue;
		if (raising && raising->is_always)
			continue;
		filled = fill_expression(context, alternative, expression);
		if (filled && ((raising && !makes_calls) || !is_suggested(context, filled)))
			filled = NULL;
		add_alternative(context, alternative->shown, filled, list);
	}
}

/* The index of the best of some alternatives. */
static size_t best_alternative(const struct fact_alternative_list *list)
{
	for (size_t i = 0; i < list->n_items; i++)
		if (list->items[i].target)
			return i;
	return 0;
}

/* Types with only a method of a name that scalars have too, such as pandas.Timestamp.to_numpy(),
 * are none. */
static bool is_without_interface(PyObject *object)
{
	bool has_items = object_type_has(object, "__len__") || object_type_has(object, "shape");

	for (size_t i = 0; protocols[i]; i++)
		if (!protocols[i]->is_of_files && protocols[i] != &buffer_protocol &&
			object_type_has(object, protocols[i]->attribute))
			return false;
	if (PyObject_CheckBuffer(object))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(alternatives); i++) {
		const struct alternative *alternative = &alternatives[i];

		if (has_attribute_of(object, alternative) &&
			(has_items || alternative->attribute[0] == '_'))
			return true;
	}
	return false;
}

/* The best alternative of the first item of a container that has one. */
static void add_item_alternative(const struct capture_context *context, const char *expression,
	PyObject *container, struct fact_alternative_list *list)
{
	struct arena *arena = context->arena;
	struct fact_alternative_list own = { 0 };
	struct found item = { 0 };

	if (!target_seek_item(arena, container, expression, is_without_interface, &item))
		return;
	add_alternatives(context, item.name, item.object, false, &own);
	Py_DecRef(item.object);
	if (!own.n_items)
		return;
	own.items += best_alternative(&own);
	*FACT_LIST_ADD(arena, list) = (struct fact_alternative){ .present = true,
		.has = arena_printf(arena, "items with %s", own.items->has),
		.target = own.items->target };
}

void alternatives_add(const struct capture_context *context, const char *expression,
	PyObject *object, struct fact_alternative_list *list)
{
	const char *item = target_first_item(context->arena, context->job, object, expression);
	const char *target =
		item ? job_target_name(context->arena, &context->job->module, item) : NULL;
	const struct fact_alternative of_item = { .present = true,
		.has = target_is_container(object) ? "items" : "arrays as attributes",
		.target = target };

	list->known = true;
	if (item && target_is_container(object))
		*FACT_LIST_ADD(context->arena, list) = of_item;
	if (worker_step("alternatives"))
		add_alternatives(context, expression, object, true, list);
	if (item && !target_is_container(object)) /* parts, such as indices and data */
		*FACT_LIST_ADD(context->arena, list) = of_item;
	if (!list->n_items)
		add_item_alternative(context, expression, object, list);
	worker_step_done();
}

void alternatives_add_module(
	const struct capture_context *context, struct fact_alternative_list *list)
{
	struct arena *arena = context->arena;
	PyObject *items = PyDict_Items(context->names);
	Py_ssize_t n_items = items ? PyList_Size(items) : 0;
	int n_objects = 0;

	list->known = true;
	if (!worker_step("alternatives"))
		n_items = 0;
	for (Py_ssize_t i = 0; i < n_items && n_objects < MAX_OBJECTS; i++) {
		PyObject *pair = PyList_GetItem(items, i), *object = PyTuple_GetItem(pair, 1);
		const char *name = module_public_name(arena, PyTuple_GetItem(pair, 0));
		struct fact_alternative_list own = { 0 };

		if (name && !PyType_Check(object) && !PyModule_Check(object)) {
			add_alternatives(context, name, object, false, &own);
			if (!own.n_items)
				add_item_alternative(context, name, object, &own);
		}
		if (!own.n_items)
			continue;
		if (own.items[0].target || !add_excluded_protocols(context, object, list))
			*FACT_LIST_ADD(arena, list) = own.items[best_alternative(&own)];
		n_objects++;
	}
	Py_DecRef(items);
	object_drop_error();
	worker_step_done();
}

static bool is_found(const struct fact_found_target_list *found, const char *name)
{
	for (size_t i = 0; i < found->n_items; i++)
		if (!strcmp(found->items[i].name, name) ||
			fact_texts_have(&found->items[i].aliases, name))
			return true;
	return false;
}

/* Whether a public name of the module denotes the object. */
static bool has_public_name(struct arena *arena, PyObject *items, PyObject *object)
{
	for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
		PyObject *pair = PyList_GetItem(items, i);

		if (PyTuple_GetItem(pair, 1) == object &&
			module_public_name(arena, PyTuple_GetItem(pair, 0)))
			return true;
	}
	return false;
}

struct fact_texts alternatives_without_interface(
	struct arena *arena, PyObject *names, const struct fact_found_target_list *found)
{
	struct fact_texts list = { .known = true };
	PyObject *items = PyDict_Items(names);

	for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
		PyObject *pair = PyList_GetItem(items, i), *object = PyTuple_GetItem(pair, 1);
		const char *name = module_public_name(arena, PyTuple_GetItem(pair, 0));
		struct found item = { 0 };

		if (!name || PyType_Check(object) || PyModule_Check(object))
			continue;
		if (is_without_interface(object) && !is_found(found, name))
			fact_texts_add(arena, &list, name);
		else if (target_seek_item(arena, object, name, is_without_interface, &item) &&
			 !has_public_name(arena, items, item.object))
			fact_texts_add(arena, &list, item.name);
		Py_DecRef(item.object);
	}
	Py_DecRef(items);
	object_drop_error();
	return list;
}
