// SPDX-License-Identifier: MIT
#include "worker/consume/views.h"

#include "base/array_size.h"
#include "model/array_methods.h"
#include "protocols/description.h"
#include "worker/capture/self_reported.h"
#include "worker/consume/consume.h"
#include "worker/consume/examine.h"
#include "worker/process/step.h"
#include "worker/python/consumer.h"
#include "worker/read/interfaces.h"

PyObject *views_evaluate(struct capture_context *context, const char *text, PyObject *object)
{
	const struct job_call call = { .expression = text, .spelled = text };
	struct consumer consumer = { 0 };
	PyObject *result;

	consumer_open(context->arena, &call, "expression", context->names, false, &consumer);
	result = consumer_call(&consumer, context->names, object);
	consumer_drop(&consumer);
	return result;
}

/* Interfaces other than DLPack declare elements such as those of bfloat16 as raw bytes. False if
 * those are of a type that dtype cannot be, such as int4. */
static bool name_raw_type(struct arena *arena, PyObject *object, struct dtype *dtype)
{
	const char *name =
		dtype->kind == DTYPE_VOID ? object_inexpressible_type(arena, object) : NULL;
	struct dtype own;

	if (!name)
		return true;
	if (!dtype_from_dlpack_name(&own, name) || dtype_itemsize(&own) != dtype_itemsize(dtype))
		return false;
	*dtype = own;
	return true;
}

static void add_views(struct capture_context *context, PyObject *object, struct views *views)
{
	struct fact_target captured = { .present = true };
	struct job job = *context->job;
	struct capture_context reading = {
		.arena = context->arena, .job = &job, .names = context->names, .target = &captured
	};

	job.facts = FACT_DICT | FACT_STRUCT;
	job.dlpack = (struct job_dlpack){ 0 };
	job.convert = NULL;
	job.protocols_named = false;
	read_interfaces(&reading, object);
	worker_step(PASS_STEP_RESULT); /* each interface has steps of its own */
	PyErr_Clear();
	for (size_t i = 0; i < captured.interfaces.n_items && views->n_items < MAX_VIEWS; i++) {
		struct fact_interface *interface = &captured.interfaces.items[i];
		const struct description *description =
			interface->status == INTERFACE_OK
				? protocol_describe(context->arena, interface)
				: NULL;

		if (!description || !description->strict)
			continue;
		views->items[views->n_items] = *description->strict;
		views->is_unnamed |= !name_raw_type(
			context->arena, object, &views->items[views->n_items++].dtype);
	}
}

/* Whether the data of __array_interface__ are an object, such as the bytes of Pillow's images,
 * which is released with the dictionary. */
static bool has_owned_data(PyObject *object)
{
	PyObject *dict = PyObject_GetAttrString(object, "__array_interface__");
	PyObject *data = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, "data") : NULL;
	bool is_owned = data && data != Py_None && !PyTuple_Check(data);

	Py_DecRef(dict);
	PyErr_Clear();
	return is_owned;
}

/* An array of NumPy with the shape that the object declares. */
#define IF_SAME_SHAPE(array)                                             \
	"(lambda a: a if type(a) is numpy.ndarray and a.dtype != object" \
	" and a.shape == tuple(_.shape) else None)(" array ")"

/* Adds the views of the array that the expression returns; none if it returns None or raises. */
static void add_views_of(struct capture_context *context, const char *expression, PyObject *object,
	struct views *views)
{
	views->array = views_evaluate(context, expression, object);
	PyErr_Clear();
	if (views->array)
		add_views(context, views->array, views);
}

/* A tensor of PyTorch that is conjugated or negated when its elements are read. */
static bool is_lazy(struct capture_context *context, PyObject *object)
{
	PyObject *answer = NULL;

	if (object_type_has(object, "is_conj") && object_type_has(object, "is_neg"))
		answer = views_evaluate(context, "_.is_conj() or _.is_neg()", object);
	PyErr_Clear();
	Py_DecRef(answer); /* True and False are never released */
	return answer == Py_True;
}

void views_read(struct capture_context *context, PyObject *object, struct views *views)
{
	*views = (struct views){ .object = object, .is_lazy = is_lazy(context, object) };
	if (has_owned_data(object)) {
		add_views_of(context, "numpy.asarray(_)", object, views);
		return;
	}
	add_views(context, object, views);
	if (views->n_items)
		return;
	if (PyObject_HasAttrString(object, "__array__"))
		add_views_of(context, "numpy.asarray(_, copy=False)", object, views);
	else if (PyObject_HasAttrString(object, "shape"))
		add_views_of(context, IF_SAME_SHAPE("_.data"), object, views);
}

void views_release(struct views *views)
{
	Py_DecRef(views->array);
	views->array = NULL;
}

/* NumPy's array of lists of complex numbers, for the comparison. */
#define LISTED_COMPLEX                                                                   \
	"(lambda a: a if a.dtype.kind == 'c' and a.shape == tuple(_.shape) else None)("  \
	"numpy.asarray(_.tolist())) if numpy.prod(tuple(_.shape), dtype=float) <= 65536" \
	" and 'complex' in str(_.dtype) else None"

/* An array, unless it would be too large. A file of tifffile has no shape. */
#define IF_SMALL(array) \
	array " if numpy.prod(tuple(getattr(_, 'shape', ())), dtype=float) <= 1 << 25 else None"

/* The values of a tensor that is lazy; None for one whose type does not resolve that. */
#define RESOLVED                                                \
	"(lambda a: None if a.is_conj() or a.is_neg() else a)(" \
	"_.detach().resolve_conj().resolve_neg())"

/* dequantize() of PyTorch converts the elements of any other tensor to float32. */
#define IF_QUANTIZED(dequantized) dequantized " if getattr(_, 'is_quantized', True) else None"

#define METHOD_VALUES(name, with, call, is_large) \
	{                                         \
		name, with, "_." call, is_large   \
	}

/* Methods that return an array of the values of an object, in order of preference. */
static const struct value_method {
	const char *name;        /* of the type */
	const char *accompanied; /* by this attribute of the type; or NULL */
	const char *expression;
	bool is_large; /* possibly */
} value_methods[] = {
	{ .name = "resolve_conj", .expression = RESOLVED },
	{ .name = "full_tensor", .expression = "_.full_tensor()" },
	{ .name = "to_numpy", .expression = "_.to_numpy()" },
	ARRAY_METHOD_LIST(METHOD_VALUES),
	{ .name = "samples_mv",
		.accompanied = "colorspace",
		.expression = "numpy.ndarray((_.height, _.width, _.n), 'u1', _.samples_mv)" },
	{ .name = "buf", .accompanied = "unlink", .expression = "_.buf" },
	{ .name = "to_df",
		.accompanied = "fetchnumpy", /* DuckDB; a table of unknown size is not created */
		.expression = "(_.to_df().to_numpy() if hasattr(_, 'shape') else None)",
		.is_large = true },
	{ .name = "to_dense", .expression = "_.to_dense()", .is_large = true },
	{ .name = "dequantize", .expression = IF_QUANTIZED("_.dequantize()") },
};

/* Whether all views declare NULL as the address of elements, as those of PyTorch's DTensor do. */
static bool have_null_data(const struct views *views)
{
	for (int i = 0; i < views->n_items; i++)
		if (views->items[i].pointer || array_elements(&views->items[i]) < 1)
			return false;
	return views->n_items > 0;
}

void views_read_values(
	struct capture_context *context, const struct views *views, struct views *values)
{
	*values = *views;
	values->array = NULL;
	if (views->is_lazy || have_null_data(views))
		values->n_items = 0;
	if (values->n_items)
		return;
	if (views->is_lazy)
		values->is_lazy = false; /* what tolist() returns is not */
	else if (PyObject_HasAttrString(views->object, "__array__"))
		add_views_of(context,
			"numpy.asarray(_) if getattr(_, 'size', 0) <= 1 << 25 else None",
			views->object, values);
	else if (PyObject_HasAttrString(views->object, "shape"))
		add_views_of(context, IF_SAME_SHAPE("_.numpy()"), views->object, values);
	for (size_t i = 0; !values->n_items && i < ARRAY_SIZE(value_methods); i++)
		if (object_type_has(views->object, value_methods[i].name) &&
			(!value_methods[i].accompanied ||
				object_type_has(views->object, value_methods[i].accompanied))) {
			views_release(values);
			add_views_of(context,
				value_methods[i].is_large
					? arena_printf(context->arena, IF_SMALL("%s"),
						  value_methods[i].expression)
					: value_methods[i].expression,
				views->object, values);
		}
	if (!values->n_items && object_type_has(views->object, "tolist")) {
		views_release(values);
		add_views_of(context, LISTED_COMPLEX, views->object, values);
	}
}

const struct array *views_find_readable(const struct views *views)
{
	int64_t first[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	const struct array *found = NULL;

	for (int i = 0; !found && !views->is_lazy && !views->is_unnamed && i < views->n_items; i++)
		if (views->items[i].dtype.kind == DTYPE_OBJECT)
			continue; /* pointers */
		else if (array_elements(&views->items[i]) == 0 ||
			 examine_element(&views->items[i], first, &scratch))
			found = &views->items[i];
	arena_free(&scratch);
	return found;
}

enum answer views_share_memory(const struct views *object, const struct views *result)
{
	enum answer shared = ANSWER_UNKNOWN;
	struct err ignored;

	for (int i = 0; i < object->n_items; i++)
		for (int j = 0; j < result->n_items; j++) {
			uint64_t low[2], high[2];

			if (array_elements(&object->items[i]) < 1 ||
				array_elements(&result->items[j]) < 1 ||
				array_extent(&object->items[i], &low[0], &high[0], &ignored) ||
				array_extent(&result->items[j], &low[1], &high[1], &ignored))
				continue;
			if (low[0] < high[1] && low[1] < high[0])
				return ANSWER_YES;
			shared = ANSWER_NO;
		}
	return shared;
}
