// SPDX-License-Identifier: MIT
/*
 * Objects of the user as they are passed to consumers. Nothing is known of their elements: those of
 * the result are compared with what the interfaces of the object, or its tolist(), return.
 */
#include "worker/consume/pass.h"

#include "base/array_size.h"
#include "base/python_code.h"
#include "base/words.h"
#include "model/time_count.h"
#include "os/peek.h"
#include "worker/capture/self_reported.h"
#include "worker/consume/consume.h"
#include "worker/consume/device_memory.h"
#include "worker/consume/examine.h"
#include "worker/consume/views.h"
#include "worker/convert/convert.h"
#include "worker/process/fork.h"
#include "worker/process/step.h"
#include "worker/python/import.h"
#include "worker/python/warnings.h"

#include <math.h>
#include <string.h>

#define STEP_METHODS "the methods of the object"

enum { MAX_COMPARED = 65536, MAX_LIST_DIMS = 32, MAX_READ_BYTES = 16 << 20 };

/* --- elements --- */

/* The first elements of each dimension, of which there are at most MAX_COMPARED. */
static struct array corner_of(const struct array *array)
{
	struct array corner = *array;
	int64_t n_left = MAX_COMPARED;

	for (int i = corner.n_dims - 1; i >= 0; i--) {
		if (corner.shape[i] > n_left)
			corner.shape[i] = n_left;
		n_left /= corner.shape[i] > 1 ? corner.shape[i] : 1;
	}
	return corner;
}

/* The array with its corner copied to host memory, which the arena keeps; NULL: it is not on a
 * device, or its corner cannot be read. */
static struct array *copy_of_device(struct arena *arena, const struct array *array)
{
	const struct array corner = corner_of(array);
	struct device_session *session = NULL;
	struct array *copy = NULL;
	unsigned char *bytes;
	uint64_t low, high;
	struct err ignored;
	int failed;

	if (strcmp(array->device.type, DEVICE_CPU) != 0 && array->dtype.kind != DTYPE_OBJECT &&
		array_elements(&corner) > 0 && !array_extent(&corner, &low, &high, &ignored) &&
		high - low <= MAX_READ_BYTES)
		session = device_memory_open(&corner);
	if (!session)
		return NULL;
	bytes = arena_alloc(arena, (size_t)(high - low));
	WITHOUT_GIL(
		failed = session->runtime->read(session, bytes,
			(struct device_pointer){ .address = low }, (size_t)(high - low), &ignored);
		session->runtime->close(session));
	if (failed)
		return NULL;
	copy = arena_alloc(arena, sizeof(*copy));
	*copy = *array;
	copy->pointer = (uint64_t)(uintptr_t)bytes + (array->pointer - low);
	return copy;
}

/* The array that an interface for the host describes although the host cannot read its memory,
 * which ends the process that tries to; NULL: there is none. */
static const struct array *find_unreadable(const struct views *views)
{
	char byte;

	for (int i = 0; i < views->n_items; i++)
		if (!strcmp(views->items[i].device.type, DEVICE_CPU) &&
			array_nbytes(&views->items[i]) > 0 &&
			!peek_bytes(&byte, views->items[i].pointer, sizeof(byte)))
			return &views->items[i];
	return NULL;
}

/* copy_of_device() of the view with the shape of layout; NULL: there is none. */
static const struct array *copy_from_device(
	struct capture_context *context, const struct views *views, const struct array *layout)
{
	const struct array *array = NULL;

	for (int i = 0; !array && !views->is_lazy && i < views->n_items; i++)
		if (array_same_shape(&views->items[i], layout))
			array = copy_of_device(context->arena, &views->items[i]);
	return array;
}

/* "_.tolist()", or "_[:2, :3].tolist()" of a corner. */
static const char *list_expression(
	struct arena *arena, const struct array *layout, const struct array *corner)
{
	const char *slices = "";

	if (array_elements(layout) == array_elements(corner))
		return "_.tolist()";
	for (int i = 0; i < corner->n_dims; i++)
		slices = arena_printf(
			arena, "%s%s:%lld", slices, i ? ", " : "", (long long)corner->shape[i]);
	return arena_printf(arena, "_[%s].tolist()", slices);
}

/* The nested lists that the object is, or that the tolist() of its corner returns; NULL: there are
 * none. */
static const struct value *read_nested(struct capture_context *context, PyObject *object,
	const struct array *layout, const struct array *corner)
{
	const struct value *list = NULL;
	PyObject *lists;

	if (PyList_Check(object) || PyTuple_Check(object))
		return object_to_value(context->arena, object);
	lists = views_evaluate(context, list_expression(context->arena, layout, corner), object);
	if (lists)
		list = object_to_value(context->arena, lists);
	Py_DecRef(lists);
	PyErr_Clear();
	return list;
}

/* The element at index; NULL: it cannot be read by the host. */
static const struct value *element_at(const struct array *array, const struct value *nested,
	const int64_t *index, const struct array *layout, struct arena *arena)
{
	if (array)
		return examine_element(array, index, arena);
	for (int i = 0; nested && i < layout->n_dims; i++)
		nested = value_is_sequence(nested) && nested->n_items >= (size_t)layout->shape[i]
				 ? value_item(nested, (size_t)index[i])
				 : NULL;
	return nested;
}

static const char *show_or_none(struct arena *arena, const struct value *element)
{
	return value_is(element, VALUE_NULL) ? "None" : examine_show(arena, element);
}

static bool is_time(const struct array *array)
{
	return array && dtype_is_time(&array->dtype);
}

/* Whether the element of the array is NumPy's "not a time". */
static bool is_no_time(const struct array *array, const struct value *element)
{
	return is_time(array) && value_is(element, VALUE_INT) && element->integer == INT64_MIN;
}

/* Whether element b of the second array is equal to a of the first one, also as a complex number,
 * as a date of another unit, or as a null instead of "not a time". The arrays may be NULL. */
static bool elements_equal(
	const struct value *a, const struct value *b, const struct array *const arrays[2])
{
	const struct value zero = { .kind = VALUE_REAL };

	if ((is_no_time(arrays[0], a) && value_is(b, VALUE_NULL)) ||
		(is_no_time(arrays[1], b) && value_is(a, VALUE_NULL)))
		return true;
	if (arrays[0] && arrays[1] && dtype_differs_in_unit(&arrays[0]->dtype, &arrays[1]->dtype) &&
		value_is(a, VALUE_INT) && value_is(b, VALUE_INT))
		return time_counts_equal(
			&arrays[0]->dtype, a->integer, &arrays[1]->dtype, b->integer);
	if (arrays[1] && arrays[1]->dtype.kind == DTYPE_COMPLEX && value_is_sequence(b) &&
		b->n_items == 2 && !value_is_sequence(a) && examine_equal(b->items[1], &zero))
		b = b->items[0];
	return examine_equal(a, b);
}

/* An element of arrays[side], which may be NULL; with its unit if that differs from the other's. */
static const char *show_side(struct arena *arena, const struct array *const arrays[2], int side,
	const struct value *element)
{
	const char *text = is_no_time(arrays[side], element) ? "NaT" : show_or_none(arena, element);

	return arrays[0] && arrays[1] && dtype_differs_in_unit(&arrays[0]->dtype, &arrays[1]->dtype)
		       ? arena_printf(arena, "%s of %s", text, arrays[side]->dtype.name)
		       : text;
}

/* Compares the elements of layout's indices, read from two sides; sets difference. Returns whether
 * both sides could be read. */
static bool compare_sides(struct capture_context *context, const struct array *layout,
	const struct array *const arrays[2], const struct value *const nested[2],
	struct fact_why *why)
{
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	bool is_read = true;

	if (array_elements(layout) == 0)
		return true;
	do {
		const struct value *a = element_at(arrays[0], nested[0], index, layout, &scratch);
		const struct value *b = element_at(arrays[1], nested[1], index, layout, &scratch);

		is_read = a && b && !value_is(a, VALUE_OPAQUE) && !value_is(b, VALUE_OPAQUE) &&
			  value_is(a, VALUE_BYTES) == value_is(b, VALUE_BYTES);
		if (!is_read || elements_equal(a, b, arrays))
			continue;
		why->difference = arena_printf(context->arena, "element %s is %s, expected %s",
			words_tuple(context->arena, index, layout->n_dims),
			show_side(context->arena, arrays, 1, b),
			show_side(context->arena, arrays, 0, a));
		break;
	} while (is_read && array_next_index(layout, index, layout->n_dims));
	arena_free(&scratch);
	return is_read;
}

/* Compares arrays of different shapes with the same number of elements, in C order:
 * numpy.frombuffer() removes dimensions, and tables have two. */
static void compare_reshaped(
	struct capture_context *context, const struct array *const arrays[2], struct fact_why *why)
{
	int64_t index[2][ARRAY_MAX_DIMS] = { { 0 } };
	struct arena scratch = { 0 };
	bool is_equal = array_elements(arrays[0]) == array_elements(arrays[1]) &&
			array_elements(arrays[0]) <= MAX_COMPARED;

	while (is_equal && array_elements(arrays[0])) {
		const struct value *a = examine_element(arrays[0], index[0], &scratch);
		const struct value *b = examine_element(arrays[1], index[1], &scratch);

		is_equal = a && b && elements_equal(a, b, arrays);
		if (!array_next_index(arrays[0], index[0], arrays[0]->n_dims) ||
			!array_next_index(arrays[1], index[1], arrays[1]->n_dims))
			break;
	}
	arena_free(&scratch);
	why->equal = answer_of(is_equal);
	why->difference = arena_printf(context->arena, "its shape is %s, expected %s",
		words_tuple(context->arena, arrays[1]->shape, arrays[1]->n_dims),
		words_tuple(context->arena, arrays[0]->shape, arrays[0]->n_dims));
}

/* Whether the result has the elements of the object. */
static void compare_passed(struct capture_context *context, const struct views *object,
	const struct views *result, struct fact_why *why)
{
	const struct array *arrays[2] = { views_find_readable(object),
		views_find_readable(result) };
	const struct value *nested[2] = { NULL, NULL };
	const struct array *layout = arrays[0]         ? arrays[0]
				     : arrays[1]       ? arrays[1]
				     : result->n_items ? &result->items[0]
				     : object->n_items ? &object->items[0]
						       : NULL;
	const struct views *const sides[2] = { object, result };
	const struct array *unreadable = arrays[1] ? NULL : find_unreadable(result);
	bool is_copied = false;
	struct array corner;

	if (unreadable) {
		why->equal = ANSWER_NO;
		why->difference = arena_printf(context->arena, PASS_UNREADABLE "0x%llx",
			(unsigned long long)unreadable->pointer);
		return;
	}
	if (arrays[0] && arrays[1] && !array_same_shape(arrays[0], arrays[1])) {
		compare_reshaped(context, arrays, why);
		return;
	}
	/* Without elements, only the shape shows what the result is. */
	if (!layout || layout->n_dims > MAX_LIST_DIMS ||
		(array_elements(layout) == 0 && !arrays[1] &&
			(!result->n_items || !array_same_shape(layout, &result->items[0]))))
		return;
	corner = corner_of(layout);
	for (int i = 0; i < 2; i++) {
		/* Complex numbers in lists are opaque. */
		if (!arrays[i] && layout->dtype.kind != DTYPE_COMPLEX)
			nested[i] = read_nested(context, sides[i]->object, layout, &corner);
		if (arrays[i] || nested[i])
			continue;
		arrays[i] = copy_from_device(context, sides[i], layout);
		if (!arrays[i])
			return;
		is_copied = true;
	}
	if (!compare_sides(context, &corner, arrays, nested, why))
		return;
	/* Work on a stream that is not known may have been pending when the copy was made. */
	if (is_copied && why->difference)
		why->difference = NULL;
	else
		why->equal = answer_of(!why->difference);
}

/* How objects list their elements, if they do not have tolist(). */
static const char *const lists[] = { "_.to_list()", "_.to_pylist()",
	"_.astype(object).values.tolist()", "_.rows()",
	"[[*row.values()] for row in _.to_pylist()]" };

/* The nested lists of the object, of which corner_of() has the shape of the result; NULL: none. */
static const struct value *read_own_list(struct capture_context *context, PyObject *object,
	const struct array *layout, const struct array *corner)
{
	const struct value *nested = read_nested(context, object, layout, corner);
	const char *of = array_elements(layout) == array_elements(corner) ? "_"
			 : corner->n_dims == 1
				 ? arena_printf(context->arena, "_[:%d]", MAX_COMPARED)
				 : NULL;

	for (size_t i = 0; of && !nested && i < ARRAY_SIZE(lists); i++) {
		const int64_t first[ARRAY_MAX_DIMS] = { 0 };
		PyObject *list = views_evaluate(context,
			expression_replace_name(context->arena, lists[i], "_", of), object);

		if (list)
			nested = object_to_value(context->arena, list);
		Py_DecRef(list);
		PyErr_Clear();
		/* Rows of a table may be dictionaries. */
		if (nested && !element_at(NULL, nested, first, corner, context->arena))
			nested = NULL;
	}
	return nested;
}

static const char *replaced_as(
	struct arena *arena, const struct array *array, const struct value *element)
{
	return is_no_time(array, element) ? "NaT" : examine_show(arena, element);
}

/* Sets difference to the first element of the object that is a null, or not a number where the
 * result has NaN: a copy of the object may have NaN there as well. */
static void find_replaced_null(struct capture_context *context, PyObject *object,
	const struct views *result, struct fact_why *why)
{
	const struct array *array = views_find_readable(result);
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	const struct value *nested;
	struct array corner;

	if (!array || array->n_dims > MAX_LIST_DIMS || array_elements(array) == 0)
		return;
	corner = corner_of(array);
	nested = read_own_list(context, object, array, &corner);
	do {
		const struct value *element = examine_element(array, index, &scratch);
		const struct value *own = element_at(NULL, nested, index, &corner, &scratch);

		if (element && own &&
			(value_is(own, VALUE_NULL) ||
				(value_is(own, VALUE_OPAQUE) && value_is(element, VALUE_REAL) &&
					isnan(element->real))))
			why->difference =
				arena_printf(context->arena, "element %s is %s, expected a null",
					words_tuple(context->arena, index, array->n_dims),
					replaced_as(context->arena, array, element));
	} while (nested && !why->difference && array_next_index(&corner, index, corner.n_dims));
	arena_free(&scratch);
}

/* --- the method that raised --- */

/* What consumers call or read of an object, except what copies it. */
static const char *const exchanges[] = {
	"_.__dlpack_device__()",
	"_.__dlpack__(max_version=(1, 0))",
	"_.__dlpack__()",
	"_.__dlpack__(stream=None, max_version=(1, 0))",
	"_.__dlpack__(max_version=(1, 0), dl_device=(1, 0))",
	"_.__dlpack__(max_version=(1, 0), copy=False)",
	"_.__dlpack__(dl_device=(1, 0))",
	"_.__dlpack__(copy=False)",
	"_.__dlpack__(stream=None)",
	"_.__array__()",
	"_.__array__(copy=None)",
	"_.__array_interface__",
	"_.__array_struct__",
	"_.__cuda_array_interface__",
	"_.__sycl_usm_array_interface__",
	"memoryview(_)",
};

/* Names the exchange that raises the same exception, if one does. */
static void find_raising_method(
	struct capture_context *context, PyObject *object, struct fact_why *why)
{
	struct caught_warnings caught = warnings_catch();

	for (size_t i = 0; i < ARRAY_SIZE(exchanges); i++) {
		PyObject *result = views_evaluate(context, exchanges[i], object);
		struct fact_error error;

		Py_DecRef(result);
		if (result)
			continue;
		error = object_take_error(context->arena);
		if (strcmp(fact_text_or(error.message, ""), fact_text_or(why->error.message, "")) !=
				0 ||
			!fact_text_is(error.type, fact_text_or(why->error.type, "")))
			continue;
		why->step = exchanges[i];
		break;
	}
	warnings_release(&caught);
}

/* --- passing --- */

/* The names of the module, with that of the consumer's file. A new reference, or NULL. */
static PyObject *names_of_lines(struct capture_context *context)
{
	const struct job_call *call = &context->job->consumer;
	struct consumer consumer = { 0 };
	PyObject *names = PyDict_Copy(context->names), *found;

	if (call->file) {
		consumer_open(context->arena, call, "CONSUMER", context->names, true, &consumer);
		if (names && consumer.module)
			PyDict_SetItemString(names, call->module, consumer.module);
		consumer_drop(&consumer);
	} else if (call->module) {
		/* A line names the package, whose submodule the consumer's name imports. */
		found = PyImport_ImportModule(call->module);
		Py_DecRef(found);
	}
	PyErr_Clear();
	return names;
}

/* What a line passes instead of object: a new reference, or NULL with an exception. */
static PyObject *make_passed(
	struct capture_context *context, PyObject *object, const struct job_trial *trial)
{
	PyObject *passed;

	if (!trial->convert)
		return views_evaluate(context, trial->producer, object);
	passed = convert_new(context, object, trial->convert);
	worker_step(PASS_STEP_CALL); /* the conversion has steps of its own */
	return passed;
}

/* The consumer's result; NULL: it raised, as recorded. */
static PyObject *call_with_object(
	struct capture_context *context, PyObject *object, struct fact_consumption *record)
{
	struct consumer consumer = { 0 };
	PyObject *result;

	consumer_open(context->arena, &context->job->consumer, "CONSUMER", context->names, true,
		&consumer);
	if (consumer_is_missing(&consumer))
		context->target->why.step = PASS_STEP_FIND;
	result = consume_call(context, &consumer, object, record);
	consumer_drop(&consumer);
	return result;
}

/* The result of a line; NULL: it raised, as recorded. Sets *passed, a new reference to what the
 * line passes. */
static PyObject *call_line(struct capture_context *context, PyObject *object,
	const struct job_trial *trial, PyObject **passed, struct fact_consumption *record)
{
	const struct job_call call = { .expression = trial->consumer, .spelled = trial->consumer };
	struct capture_context line = *context;
	struct consumer consumer = { 0 };
	PyObject *result = NULL, *names = names_of_lines(context);

	if (names)
		line.names = names;
	*passed = make_passed(context, object, trial);
	if (*passed) {
		consumer_open(context->arena, &call, "expression", line.names, false, &consumer);
		result = consume_call(&line, &consumer, *passed, record);
		consumer_drop(&consumer);
	} else {
		record->outcome = TRIAL_RAISED;
		record->exception = object_builtin_exception(context->arena);
		record->error = object_take_error(context->arena);
	}
	Py_DecRef(names);
	return result;
}

/* Compares what was passed, such as a table, whose elements only a copy shows. Done last, since
 * nulls may be NaN in a copy. */
static void compare_passed_elements(struct capture_context *context, const struct views *object,
	const struct views *result, struct fact_why *why)
{
	struct views *values = arena_alloc(context->arena, 2 * sizeof(*values));

	compare_passed(context, object, result, why);
	if (why->equal)
		return;
	views_read_values(context, object, &values[0]);
	views_read_values(context, result, &values[1]);
	compare_passed(context, &values[0], &values[1], why);
	if (why->equal == ANSWER_YES && !is_time(views_find_readable(object)))
		find_replaced_null(context, object->object, &values[1], why);
	views_release(&values[0]);
	views_release(&values[1]);
}

/* Whether what the line passes has the elements of the object; if not, sets difference to the first
 * one. It is made again, as the consumer may have changed it. */
static void compare_with_passed(struct capture_context *context, const struct views *object,
	PyObject *passed, const struct job_trial *trial, struct fact_why *why)
{
	struct views *views = arena_alloc(context->arena, sizeof(*views));
	struct fact_why compared = { 0 };

	if (passed == object->object) {
		why->passed.equal = ANSWER_YES;
		return;
	}
	passed = make_passed(context, object->object, trial);
	PyErr_Clear();
	if (!passed)
		return;
	views_read(context, passed, views);
	/* The result of the consumer may be this memory. */
	if (!views->is_lazy)
		compare_passed_elements(context, object, views, &compared);
	why->passed.equal = compared.equal;
	if (compared.equal == ANSWER_NO && compared.difference)
		why->difference =
			arena_printf(context->arena, "in what it passes, %s", compared.difference);
	views_release(views);
	Py_DecRef(passed);
}

/* A tensor whose gradients are tracked exports its memory only without them. */
static enum answer shares_detached(
	struct capture_context *context, PyObject *object, const struct views *result)
{
	struct views *views = arena_alloc(context->arena, sizeof(*views));
	PyObject *detached = object_type_has(object, "detach")
				     ? views_evaluate(context, "_.detach()", object)
				     : NULL;
	enum answer shared = ANSWER_UNKNOWN;

	PyErr_Clear();
	if (!detached)
		return shared;
	views_read(context, detached, views);
	shared = views_share_memory(views, result);
	views_release(views);
	Py_DecRef(detached);
	return shared;
}

/* Where the elements of a result are. */
static struct fact_device_number find_result_device(const struct views *views)
{
	const struct device *first = &views->items[0].device;
	int64_t id = first->id;

	for (int i = 1; i < views->n_items && id < 0; i++)
		if (!strcmp(views->items[i].device.type, first->type))
			id = views->items[i].device.id;
	if (id < 0)
		id = device_memory_id(&views->items[0]);
	return (struct fact_device_number){
		.present = true, .type = first->type, .id = { id >= 0, id }
	};
}

/* The element type of an object, of which the views are; also one that interfaces declare as raw
 * bytes. */
static const char *element_type(
	struct capture_context *context, PyObject *object, const struct views *views)
{
	const struct dtype *dtype = &views->items[0].dtype;
	const char *name = dtype->kind == DTYPE_VOID ? object_inexpressible_type(context->arena,
							       views->array ? views->array : object)
						     : NULL;

	return name ? name : arena_copy(context->arena, dtype->name, strlen(dtype->name));
}

/* Whether the first item of an array of Python objects is of the type of the object, whose items
 * NumPy reads as those of a list. */
static enum answer nests_object(PyObject *object, PyObject *result, const struct views *views)
{
	PyObject *items = NULL, *first = NULL;
	enum answer nests;

	if (views->items[0].dtype.kind != DTYPE_OBJECT || array_elements(&views->items[0]) < 1)
		return ANSWER_NO;
	items = PyObject_GetAttrString(result, "flat");
	first = items && PyIter_Check(items) ? PyIter_Next(items) : NULL;
	nests = first ? answer_of(Py_TYPE(first) == Py_TYPE(object)) : ANSWER_UNKNOWN;
	PyErr_Clear();
	Py_DecRef(first);
	Py_DecRef(items);
	return nests;
}

static void examine_passed(struct capture_context *context, PyObject *object, PyObject *passed,
	PyObject *result, const struct job_trial *trial, struct fact_why *why)
{
	struct views *views = arena_alloc(context->arena, 3 * sizeof(*views));

	if (!worker_step(PASS_STEP_RESULT))
		return;
	why->type = object_type_name(context->arena, result);
	views_read(context, object, &views[0]);
	views_read(context, result, &views[1]);
	if (views[1].n_items) {
		const struct array *first = &views[1].items[0];

		why->result_dtype = element_type(context, result, &views[1]);
		why->result_swapped = answer_of(first->dtype.foreign_order);
		why->result_nests = nests_object(object, result, &views[1]);
		why->result_at = find_result_device(&views[1]);
		why->result_shape = fact_ints(context->arena, first->shape, (size_t)first->n_dims);
	}
	why->is_object = answer_of(result == object);
	why->shared = result == object ? ANSWER_YES : views_share_memory(&views[0], &views[1]);
	if (passed && why->shared == ANSWER_UNKNOWN)
		why->shared = shares_detached(context, object, &views[1]);
	if (passed) {
		views_read(context, passed, &views[2]);
		why->passed.shared = views_share_memory(&views[2], &views[1]);
		if (views[2].n_items)
			why->passed.dtype = element_type(context, passed, &views[2]);
	}
	compare_passed_elements(context, &views[0], &views[1], why);
	/* A table, which only NumPy reads as an array of NumPy. */
	if (passed && why->equal == ANSWER_YES && !why->difference && views[0].array)
		find_replaced_null(context, object, &views[1], why);
	if (passed && why->equal != ANSWER_YES)
		compare_with_passed(context, &views[0], passed, trial, why);
	for (int i = 0; i < 3; i++)
		views_release(&views[i]);
	worker_step_done();
}

void pass_object(struct capture_context *context, PyObject *object, const struct job_trial *trial)
{
	struct fact_why *why = &context->target->why;
	struct fact_consumption record = { 0 };
	PyObject *passed = NULL, *result;

	*why = (struct fact_why){ .present = true,
		.consumer = context->job->consumer.spelled,
		.warnings.known = true,
		.remedies.known = true };
	if (!worker_step(PASS_STEP_CALL)) {
		why->outcome = TRIAL_SKIPPED;
		why->step = PASS_STEP_CALL;
		why->error = (struct fact_error){ .present = true,
			.message = worker_loss(PASS_STEP_CALL) };
		return;
	}
	result = trial->consumer ? call_line(context, object, trial, &passed, &record)
				 : call_with_object(context, object, &record);
	worker_step_done();
	why->outcome = record.outcome;
	if (trial->consumer)
		why->passed =
			(struct fact_passed){ .present = true, .obtained = answer_of(passed) };
	why->exception = record.exception;
	why->error = record.error;
	why->warnings = record.warnings;
	why->warnings.known = true;
	if (result && strcmp(trial->name, PASS_CALL_ONLY) != 0)
		examine_passed(context, object, passed, result, trial, why);
	else if (result)
		why->type = object_type_name(context->arena, result);
	else if (!why->step && !strcmp(trial->name, PASS_AND_DIAGNOSE) && worker_step(STEP_METHODS))
		find_raising_method(context, object, why);
	worker_step_done();
	if (worker_step(PASS_STEP_RELEASE)) {
		Py_DecRef(result);
		Py_DecRef(passed);
	}
	PyErr_Clear();
	worker_step_done();
}

/* --- modules that lines import --- */

#define STEP_IMPORT "import what the consumer needs"

static bool uses_numpy(const struct job_module *module)
{
	for (size_t i = 0; i < module->expressions.n_items; i++) {
		const struct job_trial *trial = &module->trials[i];

		if ((trial->producer && strstr(trial->producer, "numpy")) ||
			(trial->consumer && strstr(trial->consumer, "numpy")))
			return true;
	}
	return false;
}

/* Exceptions are raised again by the lines. */
static void import_for_lines(struct capture_context *context)
{
	struct consumer consumer = { 0 };
	PyObject *names = names_of_lines(context), *numpy = NULL;

	consumer_open(context->arena, &context->job->consumer, "CONSUMER", context->names, true,
		&consumer);
	consumer_drop(&consumer);
	if (uses_numpy(&context->job->module))
		numpy = import_named("numpy");
	PyErr_Clear();
	Py_DecRef(numpy);
	Py_DecRef(names);
}

static Py_ssize_t count_modules(void)
{
	return PyDict_Size(PyImport_GetModuleDict());
}

/* Whether something is imported, after which the process can still be forked. */
static bool imports_for_lines(void *context)
{
	const Py_ssize_t n_before = count_modules();

	import_for_lines(context);
	return count_modules() > n_before && !process_fork_obstacle((struct process_idle){ 0 });
}

void pass_import_modules(struct capture_context *context)
{
	if (process_try(imports_for_lines, context) != ANSWER_YES || !worker_step(STEP_IMPORT))
		return;
	import_for_lines(context);
	worker_step_done();
}
