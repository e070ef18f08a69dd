// SPDX-License-Identifier: MIT
/*
 * Examines the result of a consumer. It is read in independent ways: at the address that each of
 * its interfaces declares, and by its method tolist(). Elements are compared as numbers, so that
 * equal values of another type are not a difference.
 */
#include "worker/consume/examine.h"

#include "worker/consume/device_memory.h"

#include "base/array_size.h"
#include "base/words.h"
#include "consumers/ignored_parts.h"
#include "model/element.h"
#include "os/peek.h"
#include "protocols/description.h"
#include "protocols/names.h"
#include "protocols/protocol.h"
#include "worker/read/interfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 0.01L

enum {
	SHOWN_DIGITS = 9,
	ALL_DIGITS = 17,
	MAX_ITEM_BYTES = 256,
	MAX_LIST_DIMS = 32,
	ALIGNMENTS = 5
};

struct examination {
	struct tracer *tracer;
	struct arena *arena;
	struct fact_consumption *record;
};

/* The source of elements of the result: an array in memory, or nested lists. */
struct elements_read {
	const struct array *array;      /* NULL: list */
	struct device_session *session; /* which reads the array; NULL: the host */
	const struct value *list;
};

/* --- comparing --- */

static bool number_of(const struct value *value, long double *number)
{
	if (value_is(value, VALUE_BOOL))
		*number = value->boolean;
	else if (value_is(value, VALUE_INT))
		*number = (long double)value->integer;
	else if (value_is(value, VALUE_WIDE_INT))
		*number = strtold(value->bytes, NULL);
	else if (value_is(value, VALUE_REAL))
		*number = (long double)value->real;
	else
		return false;
	return true;
}

/* Whether numbers differ by at most the given fraction of the first one, and other values not at
 * all. */
static bool are_within(const struct value *a, const struct value *b, long double tolerance)
{
	long double left, right;

	if (value_is_sequence(a) && value_is_sequence(b) && a->n_items == b->n_items) {
		for (size_t i = 0; i < a->n_items; i++)
			if (!are_within(a->items[i], b->items[i], tolerance))
				return false;
		return true;
	}
	if (!number_of(a, &left) || !number_of(b, &right))
		return a && b && value_equal(a, b);
	return left == right || (isnan(left) && isnan(right)) ||
	       (tolerance > 0 && fabsl(left - right) <= fabsl(left) * tolerance);
}

bool examine_equal(const struct value *a, const struct value *b)
{
	return are_within(a, b, 0);
}

static uint64_t address_of_element(const struct array *array, const int64_t *index)
{
	uint64_t address = array->pointer;

	for (int i = 0; i < array->n_dims; i++)
		address += (uint64_t)(index[i] * array->stride_bytes[i]);
	return address;
}

const struct value *examine_element(
	const struct array *array, const int64_t *index, struct arena *arena)
{
	int64_t item_bytes = dtype_itemsize(&array->dtype);
	unsigned char bytes[MAX_ITEM_BYTES];

	if (item_bytes < 1 || item_bytes > MAX_ITEM_BYTES ||
		!peek_bytes(bytes, address_of_element(array, index), (size_t)item_bytes))
		return NULL;
	return element_to_value(arena, &array->dtype, bytes);
}

/* Reads an element by the runtime. NULL: it cannot. */
static const struct value *read_device_element(
	const struct elements_read *from, const int64_t *index, struct arena *arena)
{
	struct device_pointer pointer = { .address = address_of_element(from->array, index) };
	int64_t item_bytes = dtype_itemsize(&from->array->dtype);
	unsigned char bytes[MAX_ITEM_BYTES];
	struct err ignored;
	int rc = -1;

	if (item_bytes >= 1 && item_bytes <= MAX_ITEM_BYTES)
		WITHOUT_GIL(rc = from->session->runtime->read(
				    from->session, bytes, pointer, (size_t)item_bytes, &ignored));
	return rc ? NULL : element_to_value(arena, &from->array->dtype, bytes);
}

/* A complex number without an imaginary part as the real number that it is equal to. */
static const struct value *real_part_of(const struct value *number)
{
	long double imaginary;

	return value_is_sequence(number) && number->n_items == 2 &&
			       number_of(number->items[1], &imaginary) && imaginary == 0
		       ? number->items[0]
		       : number;
}

/* The element of layout at index. NULL: it cannot be read. */
static const struct value *read_element(const struct elements_read *from,
	const struct array *layout, const int64_t *index, struct arena *arena)
{
	const struct value *item = from->list;

	if (from->array) {
		item = from->session ? read_device_element(from, index, arena)
				     : examine_element(from->array, index, arena);
		return from->array->dtype.kind == DTYPE_COMPLEX &&
				       layout->dtype.kind != DTYPE_COMPLEX &&
				       layout->dtype.lanes == 1
			       ? real_part_of(item)
			       : item;
	}
	for (int i = 0; item && i < layout->n_dims; i++)
		item = value_item(item, (size_t)index[i]);
	return item;
}

static const char *show_digits(struct arena *arena, const struct value *element, int n_digits)
{
	const char *text = "";

	if (value_is(element, VALUE_BOOL))
		return element->boolean ? "True" : "False";
	if (value_is(element, VALUE_INT))
		return arena_printf(arena, "%lld", (long long)element->integer);
	if (value_is(element, VALUE_REAL))
		return arena_printf(arena, "%.*g", n_digits, element->real);
	if (value_is(element, VALUE_WIDE_INT))
		return element->bytes;
	if (!value_is_sequence(element))
		return "not a number";
	for (size_t i = 0; i < element->n_items; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
			show_digits(arena, element->items[i], n_digits));
	return arena_printf(arena, "(%s)", text);
}

const char *examine_show(struct arena *arena, const struct value *element)
{
	return show_digits(arena, element, SHOWN_DIGITS);
}

/* Whether the value is a number or a tuple of numbers (an element with lanes or fields). */
static bool is_numeric(const struct value *value)
{
	long double ignored;

	return value_is_sequence(value) || number_of(value, &ignored);
}

/* Whether both are numbers, or both are several. */
static bool are_comparable(const struct value *expected, const struct value *found)
{
	long double ignored;

	return value_is_sequence(expected) ? value_is_sequence(found)
					   : found && number_of(found, &ignored);
}

/* Describes the difference, with all digits if fewer look equal. found may be NULL. */
static const char *show_difference(struct arena *arena, const struct array *layout,
	const int64_t *index, const struct value *expected, const struct value *found)
{
	const char *shown = found ? examine_show(arena, found) : "unreadable";
	const char *other = examine_show(arena, expected);

	if (!strcmp(shown, other)) {
		shown = show_digits(arena, found, ALL_DIGITS);
		other = show_digits(arena, expected, ALL_DIGITS);
	}
	return arena_printf(arena, "element %s is %s, expected %s",
		words_tuple(arena, index, layout->n_dims), shown, other);
}

/* Compares all elements with those of layout, as suai wrote them. Returns NULL, or the first
 * difference. What is no number, such as a list or an object of a library in a list, or an object
 * in an array, proves nothing: if unread is not NULL, sets it to that, and returns NULL. */
static const char *find_difference(struct examination *examination, const struct array *layout,
	const struct elements_read *from, const char **unread)
{
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	const char *difference = NULL;

	if (array_elements(layout) <= 0)
		return NULL;
	do {
		const struct value *expected =
			tracer_element(examination->tracer, layout, index, &scratch);
		const struct value *found = read_element(from, layout, index, &scratch);

		/* Only layouts that might explain a difference have elements outside the pages. */
		if (!expected || (found && examine_equal(expected, found)))
			continue;
		difference = show_difference(examination->arena, layout, index, expected, found);
		if (unread && (from->array ? found && !is_numeric(found)
					   : !are_comparable(expected, found))) {
			difference = NULL;
			*unread = arena_printf(examination->arena, "element %s is not a number",
				words_tuple(&scratch, index, layout->n_dims));
		}
		break;
	} while (array_next_index(layout, index, layout->n_dims));
	arena_free(&scratch);
	return difference;
}

/* Whether all elements are those of tracer_poison() or, if poison is NULL, the expected ones but
 * for rounding. */
static bool are_close(struct examination *examination, const struct array *layout,
	const struct elements_read *from, const unsigned char *poison)
{
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	bool close = true;

	do {
		const struct value *expected =
			poison ? element_to_value(&scratch, &layout->dtype, poison)
			       : tracer_element(examination->tracer, layout, index, &scratch);
		const struct value *found = read_element(from, layout, index, &scratch);

		close = expected && found && are_within(expected, found, poison ? 0 : ROUNDING);
	} while (close && array_next_index(layout, index, layout->n_dims));
	arena_free(&scratch);
	return close;
}

/* Whether the elements were read from the tensor's memory after its release, although no interface
 * of the result declares the address. */
static bool are_released(struct examination *examination, const struct array *layout,
	const struct elements_read *from)
{
	unsigned char poison[MAX_ITEM_BYTES];

	memset(poison, TRACER_POISON, sizeof(poison));
	return examination->tracer->is_poisoned && layout->dtype.kind != DTYPE_BOOL &&
	       dtype_itemsize(&layout->dtype) <= MAX_ITEM_BYTES &&
	       are_close(examination, layout, from, poison);
}

/* --- what the consumer may have ignored --- */

struct hypothesis {
	const char *name;
	struct array layout;
};

static struct array with_one_lane(const struct array *layout)
{
	struct array array = *layout;

	array.dtype.lanes = 1;
	array_set_compact_strides(&array, 'C');
	return array;
}

/* The layout as a consumer reads it that interprets the strides, which count elements, as bytes. */
static struct array with_byte_strides(const struct array *layout)
{
	struct array array = *layout;
	int64_t item_bytes = dtype_itemsize(&array.dtype);

	for (int i = 0; i < array.n_dims; i++)
		array.stride_bytes[i] /= item_bytes;
	return array;
}

static bool reads_negative_strides(const struct array *layout)
{
	for (int i = 0; i < layout->n_dims; i++)
		if (layout->shape[i] > 1 && layout->stride_bytes[i] < 0)
			return true;
	return false;
}

static struct array with_positive_strides(const struct array *layout)
{
	struct array array = *layout;

	for (int i = 0; i < array.n_dims; i++)
		array.stride_bytes[i] = llabs(array.stride_bytes[i]);
	return array;
}

/* Whether the array that was read has the address and the strides of layout. */
static bool is_declared(
	const struct tracer *tracer, const struct array *layout, const struct elements_read *from)
{
	const struct array *array = from->array;

	if (!array || array->pointer != (uintptr_t)tracer->memory.low + layout->pointer)
		return false;
	for (int i = 0; i < layout->n_dims; i++)
		if (layout->shape[i] > 1 && layout->stride_bytes[i] != array->stride_bytes[i])
			return false;
	return true;
}

/* Whether explains() compares elements of layout with those read, or need not: otherwise too few
 * of them may be in the pages. */
static bool is_provable(
	const struct tracer *tracer, const struct array *layout, const struct elements_read *from)
{
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	bool is_known;

	if (array_is_c_contiguous(layout) || is_declared(tracer, layout, from))
		return true;
	do {
		is_known = tracer_element(tracer, layout, index, &scratch) != NULL;
	} while (is_known && array_next_index(layout, index, layout->n_dims));
	arena_free(&scratch);
	return is_known;
}

/* Bytes from the address that the tensor declares to its first element. */
static uint64_t skipped_bytes(const struct tracer *tracer)
{
	return tracer->interface && tracer->interface->has_offset
		       ? tracer->layout.pointer
		       : (uint64_t)tracer->row->byte_offset;
}

/* How far data is past a multiple of alignment. */
static uint64_t misalignment_of(const struct tracer *tracer, uint64_t alignment)
{
	uint64_t data = (uint64_t)(uintptr_t)tracer->memory.low + tracer->layout.pointer -
			skipped_bytes(tracer);

	return data % alignment;
}

static bool explains(struct examination *examination, int ignored_parts, const struct array *layout,
	const struct elements_read *from)
{
	if (find_difference(examination, layout, from, NULL))
		return false;
	examination->record->read_as = ignored_parts_name(ignored_parts);
	return true;
}

/* Whether the elements are those of positive strides. Where these are the compact ones,
 * consume_case() finds out whether other strides are ignored as well. */
static bool explains_signs(struct examination *examination, const struct elements_read *from)
{
	const struct tracer *tracer = examination->tracer;
	const uint64_t n_skipped = skipped_bytes(tracer);
	struct array other = with_positive_strides(&tracer->layout);

	if (!reads_negative_strides(&tracer->layout))
		return false;
	if (is_provable(tracer, &other, from) &&
		explains(examination, IGNORED_STRIDE_SIGNS, &other, from))
		return true;
	other.pointer -= n_skipped;
	return n_skipped && is_provable(tracer, &other, from) &&
	       explains(examination, IGNORED_OFFSET | IGNORED_STRIDE_SIGNS, &other, from);
}

/* Names the field that the consumer ignored if that explains the elements. */
static void explain_difference(struct examination *examination, const struct elements_read *from)
{
	const struct tracer *tracer = examination->tracer;
	const struct consumer_case *row = tracer->row;
	const struct array *layout = &tracer->layout;
	const uint64_t n_skipped = skipped_bytes(tracer);
	struct array other = *layout;

	other.pointer -= n_skipped;
	if (n_skipped && explains(examination, IGNORED_OFFSET, &other, from))
		return;
	if (explains_signs(examination, from))
		return;
	other = *layout;
	array_set_compact_strides(&other, 'C');
	if (row->has_strides && explains(examination, IGNORED_STRIDES, &other, from))
		return;
	other.pointer -= n_skipped;
	if (row->has_strides && n_skipped &&
		explains(examination, IGNORED_OFFSET | IGNORED_STRIDES, &other, from))
		return;
	other = with_byte_strides(layout);
	if ((!tracer->interface || tracer->interface->protocol->counts_elements) &&
		explains(examination, IGNORED_STRIDE_UNIT, &other, from))
		return;
	other = with_one_lane(layout);
	if (layout->dtype.lanes > 1 && explains(examination, IGNORED_LANES, &other, from))
		return;
	other = *layout;
	other.dtype.foreign_order = false;
	if (layout->dtype.foreign_order && explains(examination, IGNORED_BYTE_ORDER, &other, from))
		return;
	for (uint64_t alignment = 2 * (uint64_t)CASE_ALIGNMENT; alignment > 1; alignment /= 2) {
		other = *layout;
		other.pointer -= misalignment_of(tracer, alignment);
		if (other.pointer != layout->pointer &&
			explains(examination, IGNORED_ALIGNMENT, &other, from))
			return;
	}
}

/* --- the readings --- */

static struct fact_reading *add_reading(struct examination *examination, const char *how)
{
	struct fact_reading *reading =
		FACT_LIST_ADD(examination->arena, &examination->record->readings);

	reading->how = how;
	return reading;
}

/* Whether a reading has equal elements. One that differs is then not the consumer's fault. */
static bool has_equal_reading(const struct fact_consumption *record)
{
	for (size_t i = 0; i < record->readings.n_items; i++)
		if (record->readings.items[i].equal == ANSWER_YES)
			return true;
	return false;
}

static void set_reading(struct examination *examination, struct fact_reading *reading,
	const struct array *layout, const struct elements_read *from)
{
	reading->difference = find_difference(examination, layout, from, &reading->reason);
	if (reading->reason)
		return;
	reading->equal = answer_of(!reading->difference);
	if (reading->difference)
		reading->rounded = answer_of(are_close(examination, layout, from, NULL));
	if (reading->difference && are_released(examination, layout, from))
		examination->record->shared = ANSWER_YES;
	else if (reading->difference && !examination->record->read_as &&
		 !has_equal_reading(examination->record))
		explain_difference(examination, from);
}

/* The tensor with its lanes as one more dimension. */
static struct array with_lanes_as_dimension(const struct array *layout)
{
	struct array array = *layout;
	int last = array.n_dims++;

	array.shape[last] = layout->dtype.lanes;
	array.stride_bytes[last] = layout->dtype.bits / 8;
	array.dtype.lanes = 1;
	return array;
}

/* The tensor in the shape that the result may have; false: the result's is another one. */
static bool match_shape(
	const struct tracer *tracer, const struct array *result, struct array *layout)
{
	*layout = tracer->layout;
	if (array_same_shape(layout, result))
		return true;
	if (layout->dtype.lanes == 1 || layout->n_dims == ARRAY_MAX_DIMS)
		return false;
	*layout = with_lanes_as_dimension(&tracer->layout);
	return array_same_shape(layout, result);
}

/* The dimension after dim whose extent is not 1; n_dims: there is none. */
static int next_long_dimension(const struct array *array, int dim)
{
	do {
		dim++;
	} while (dim < array->n_dims && array->shape[dim] == 1);
	return dim;
}

/* Changes a result to the shape of layout if only dimensions of extent 1 were added or dropped. */
static bool restore_unit_dimensions(struct array *result, const struct array *layout)
{
	int at = next_long_dimension(result, -1), to = next_long_dimension(layout, -1);
	int64_t stride_bytes[ARRAY_MAX_DIMS] = { 0 };

	for (; at < result->n_dims && to < layout->n_dims;
		at = next_long_dimension(result, at), to = next_long_dimension(layout, to)) {
		if (result->shape[at] != layout->shape[to])
			return false;
		stride_bytes[to] = result->stride_bytes[at];
	}
	if (at < result->n_dims || to < layout->n_dims)
		return false;
	result->n_dims = layout->n_dims;
	memcpy(result->shape, layout->shape, sizeof(result->shape));
	memcpy(result->stride_bytes, stride_bytes, sizeof(stride_bytes));
	return true;
}

static bool has_reversed_shape(const struct array *array, const struct array *layout)
{
	int i = 0;

	while (i < array->n_dims && array->n_dims == layout->n_dims &&
		array->shape[i] == layout->shape[array->n_dims - 1 - i])
		i++;
	return i == array->n_dims;
}

/* Libraries such as VTK and Mitsuba add or drop dimensions: a contiguous result may have the same
 * elements in another shape, and any with more or fewer dimensions of extent 1. */
static void compare_with_shape(struct examination *examination, struct fact_reading *reading,
	const struct elements_read *from)
{
	const struct array *layout = &examination->tracer->layout;
	const char *read_as = examination->record->read_as;
	struct array reshaped = *from->array;
	struct elements_read as = *from;

	if (layout->dtype.lanes != 1 || array_elements(&reshaped) != array_elements(layout))
		return;
	if (!restore_unit_dimensions(&reshaped, layout)) {
		if (!array_is_c_contiguous(&reshaped))
			return;
		reshaped.n_dims = layout->n_dims;
		memcpy(reshaped.shape, layout->shape, sizeof(reshaped.shape));
		array_set_compact_strides(&reshaped, 'C');
	}
	as.array = &reshaped;
	set_reading(examination, reading, layout, &as);
	if (has_reversed_shape(from->array, layout))
		examination->record->read_as = read_as; /* it is transposed */
	reading->reshaped = reading->equal;
	reading->reason = NULL;
}

/* Compares the elements that `from`, whose array is not NULL, reads with those of the tensor. */
static void compare_array(struct examination *examination, struct fact_reading *reading,
	const struct elements_read *from)
{
	const struct array *array = from->array;
	struct array layout;

	if (match_shape(examination->tracer, array, &layout)) {
		set_reading(examination, reading, &layout, from);
		return;
	}
	if (array->dtype.kind == DTYPE_OBJECT) {
		reading->reason = "the elements are Python objects";
		return;
	}
	compare_with_shape(examination, reading, from);
	reading->equal = ANSWER_NO;
	reading->difference = arena_printf(examination->arena, "its shape is %s, expected %s",
		words_tuple(examination->arena, array->shape, array->n_dims),
		words_tuple(examination->arena, examination->tracer->layout.shape,
			examination->tracer->layout.n_dims));
}

static void read_array(
	struct examination *examination, const char *protocol, const struct array *array)
{
	struct fact_reading *reading = add_reading(examination, protocol);
	const bool is_on_device = strcmp(array->device.type, DEVICE_CPU) != 0;
	struct elements_read from = { .array = array,
		.session = is_on_device ? examination->tracer->session : NULL };
	struct device_session *opened = NULL;

	if (is_on_device && !from.session)
		from.session = opened = device_memory_open(array);
	if (is_on_device && !from.session)
		reading->reason = arena_printf(
			examination->arena, "the elements are on %s", array->device.type);
	else
		compare_array(examination, reading, &from);
	if (opened)
		WITHOUT_GIL(opened->runtime->close(opened));
}

/* Whether the bits of a type that only DLPack can name are exported as unsigned integers. */
static bool has_bits(enum dtype_kind expected, const char *protocol, enum dtype_kind kind)
{
	return (expected == DTYPE_BFLOAT || expected == DTYPE_FLOAT8) && kind == DTYPE_UINT &&
	       strcmp(protocol, dlpack_protocol.name) != 0;
}

/* A type that only its size describes, as NumPy's of bfloat16 in __array_interface__, is that of
 * the tensor if the sizes are equal. */
static struct array with_known_type(
	const struct tracer *tracer, const char *protocol, const struct array *array)
{
	const struct dtype *expected = &tracer->layout.dtype;
	struct array known = *array;

	if ((array->dtype.kind == DTYPE_VOID ||
		    has_bits(expected->kind, protocol, array->dtype.kind)) &&
		dtype_itemsize(&array->dtype) == dtype_itemsize(expected))
		known.dtype = *expected;
	return known;
}

/* Examines the array that one interface of the result declares. */
static void examine_array(
	struct examination *examination, const char *protocol, const struct array *array)
{
	const struct array known = with_known_type(examination->tracer, protocol, array);
	struct fact_consumption *record = examination->record;
	bool is_here = tracer_has_address(examination->tracer, array->pointer);
	uint64_t low, high;
	struct err ignored;

	if (!record->result_dtype) {
		record->result_dtype =
			arena_copy(examination->arena, known.dtype.name, strlen(known.dtype.name));
		record->result_shape =
			fact_ints(examination->arena, array->shape, (size_t)array->n_dims);
	}
	if (!record->result_low.known &&
		device_type_named(array->device.type)->data == DEVICE_DATA_ADDRESS &&
		array_elements(array) > 0 && !array_extent(array, &low, &high, &ignored)) {
		record->result_low = fact_address(low);
		record->result_high = fact_address(high);
	}
	if (record->shared != ANSWER_YES && array_elements(array) > 0)
		record->shared = answer_of(is_here);
	if (array->readonly == READONLY_NO)
		record->result_readonly = ANSWER_NO;
	else if (array->readonly == READONLY_YES && record->result_readonly != ANSWER_NO)
		record->result_readonly = ANSWER_YES;
	if (examination->tracer->has_layout)
		read_array(examination, protocol, &known);
}

/* The bytes of the elements, as tobytes() returns them, or those at consecutive addresses; others
 * may be of anything, such as a digest. */
static void examine_bytes(struct examination *examination, const struct array *bytes)
{
	struct array array = examination->tracer->layout;
	const struct elements_read from = { .array = &array };
	struct fact_reading *reading;

	array.pointer = bytes->pointer;
	array_set_compact_strides(&array, 'C');
	if (!examination->tracer->has_layout || array_nbytes(&array) != array_nbytes(bytes))
		return;
	reading = add_reading(examination, buffer_protocol.name);
	set_reading(examination, reading, &examination->tracer->layout, &from);
	if (reading->difference && !examination->record->read_as)
		*reading = (struct fact_reading){ .present = reading->present,
			.how = reading->how,
			.reason = "the bytes are not those of the elements" };
}

/* Whether __array_interface__ contains an object with the elements, such as the bytes of Pillow's
 * images, which was released with the dictionary. */
static bool have_released_data(const struct fact_interface_list *interfaces)
{
	for (size_t i = 0; i < interfaces->n_items; i++)
		if (fact_text_is(interfaces->items[i].protocol, PROTOCOL_NUMPY) &&
			value_is(value_get(interfaces->items[i].declared, "data"), VALUE_OPAQUE))
			return true;
	return false;
}

/* The array that NumPy makes of the result; NULL: none. */
static PyObject *convert_by_numpy(PyObject *result)
{
	PyObject *numpy = PyImport_ImportModule("numpy");
	PyObject *array = numpy ? PyObject_CallMethod(numpy, "asarray", "O", result) : NULL;

	PyErr_Clear();
	Py_DecRef(numpy);
	return array;
}

/* Whether NumPy can read a result that has no interface. */
static bool has_only_array_method(const struct fact_interface_list *interfaces, PyObject *result)
{
	for (size_t i = 0; i < interfaces->n_items; i++)
		if (interfaces->items[i].status == INTERFACE_OK)
			return false;
	return object_type_has(result, "__array__");
}

/* Reads the elements by each interface of the result, or of the array that keeps them. */
static void read_memory(
	struct examination *examination, const struct job *whole_job, PyObject *result)
{
	struct fact_target captured = { .present = true };
	struct job job = *whole_job;
	struct capture_context context = {
		.arena = examination->arena, .job = &job, .target = &captured
	};
	PyObject *array = NULL;

	job.facts = FACT_DICT | FACT_STRUCT;
	read_interfaces(&context, result);
	if (have_released_data(&captured.interfaces) ||
		has_only_array_method(&captured.interfaces, result)) {
		array = convert_by_numpy(result);
		captured = (struct fact_target){ .present = true };
		if (array)
			read_interfaces(&context, array);
	}
	for (size_t i = 0; i < captured.interfaces.n_items; i++) {
		struct fact_interface *interface = &captured.interfaces.items[i];
		const struct description *description =
			interface->status == INTERFACE_OK
				? protocol_describe(examination->arena, interface)
				: NULL;

		if (!description || !description->strict)
			continue;
		if (PyBytes_Check(result) || PyByteArray_Check(result))
			examine_bytes(examination, description->strict);
		else
			examine_array(examination, interface->protocol, description->strict);
	}
	Py_DecRef(array);
}

/* Reads the elements by tolist(), which most array types have. */
static void read_tolist(struct examination *examination, PyObject *result)
{
	const struct array *layout = &examination->tracer->layout;
	struct elements_read from = { 0 };
	PyObject *method, *list;

	if (layout->n_dims > MAX_LIST_DIMS || layout->dtype.lanes > 1 ||
		layout->dtype.kind == DTYPE_COMPLEX ||
		object_attribute(result, "tolist", &method) < 1) {
		PyErr_Clear();
		return;
	}
	list = PyObject_CallNoArgs(method);
	if (list) {
		from.list = object_to_value(examination->arena, list);
		set_reading(examination, add_reading(examination, "tolist"), layout, &from);
	} else {
		add_reading(examination, "tolist")->reason =
			object_take_error(examination->arena).message;
	}
	Py_DecRef(list);
	Py_DecRef(method);
}

/* Whether an item is an element, or several, and not an array. */
static bool is_item_of_list(PyObject *item)
{
	return PyList_Check(item) || PyTuple_Check(item) || PyFloat_Check(item) ||
	       PyLong_Check(item) || PyComplex_Check(item);
}

/* The only array of a tuple or list: borrowed. Otherwise the result. */
static PyObject *find_only_array(PyObject *result)
{
	PyObject *item = NULL;

	if (PyTuple_Check(result) && PyTuple_Size(result) == 1)
		item = PyTuple_GetItem(result, 0);
	else if (PyList_Check(result) && PyList_Size(result) == 1)
		item = PyList_GetItem(result, 0);
	return item && !is_item_of_list(item) ? item : result;
}

/* Whether nested lists have the lengths of the dimensions from dim. */
static bool has_lengths(const struct value *list, const struct array *layout, int dim)
{
	if (dim == layout->n_dims)
		return !value_is_sequence(list);
	if (!value_is_sequence(list) || (int64_t)list->n_items != layout->shape[dim])
		return false;
	for (size_t i = 0; i < list->n_items; i++)
		if (!has_lengths(value_item(list, i), layout, dim + 1))
			return false;
	return true;
}

/* Compares the items of a flat list, which are in C order, if there are as many as the tensor has
 * elements. */
static void compare_items(struct examination *examination, const struct value *list)
{
	const struct array *layout = &examination->tracer->layout;
	struct fact_reading *reading = add_reading(examination, "list");
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	struct arena scratch = { 0 };
	size_t i = 0;

	do {
		const struct value *expected =
			tracer_element(examination->tracer, layout, index, &scratch);
		const struct value *found = value_item(list, i++);

		if (!are_comparable(expected, found))
			reading->reason =
				arena_printf(examination->arena, "item %zu is not a number", i - 1);
		else if (!examine_equal(expected, found))
			reading->difference = arena_printf(examination->arena,
				"item %zu is %s, expected %s", i - 1, examine_show(&scratch, found),
				examine_show(&scratch, expected));
	} while (!reading->reason && !reading->difference &&
		 array_next_index(layout, index, layout->n_dims));
	if (!reading->reason)
		reading->equal = answer_of(!reading->difference);
	arena_free(&scratch);
}

/* Reads a result that is a list of numbers, nested or flat. */
static void read_listed_numbers(struct examination *examination, PyObject *result)
{
	const struct array *layout = &examination->tracer->layout;
	struct elements_read from = { 0 };
	bool is_flat;

	if (!PyList_Check(result) || layout->n_dims > MAX_LIST_DIMS || layout->dtype.lanes > 1 ||
		layout->dtype.kind == DTYPE_COMPLEX)
		return;
	from.list = object_to_value(examination->arena, result);
	is_flat = value_is_sequence(from.list) &&
		  (int64_t)from.list->n_items == array_elements(layout) && from.list->n_items &&
		  !value_is_sequence(value_item(from.list, 0));
	if (has_lengths(from.list, layout, 0))
		set_reading(examination, add_reading(examination, "list"), layout, &from);
	else if (is_flat)
		compare_items(examination, from.list);
}

void examine_result(const struct job *job, struct tracer *tracer, PyObject *result,
	struct fact_consumption *record)
{
	struct examination examination = {
		.tracer = tracer, .arena = tracer->arena, .record = record
	};

	record->readings.known = true;
	if (tracer->session)
		device_memory_wait(tracer->session, tracer->low);
	result = find_only_array(result);
	read_memory(&examination, job, result);
	if (tracer->has_layout) {
		read_tolist(&examination, result);
		read_listed_numbers(&examination, result);
	}
	PyErr_Clear();
}
