// SPDX-License-Identifier: MIT
/* Checks of shape, strides and address that several protocols share. */
#include "base/plural.h"
#include "rules/shared/shared.h"

#include <stdlib.h>
#include <string.h>

const struct array *shared_array(const struct subject *subject, struct report *report)
{
	if (!subject->array)
		rule_skip(report, "%s", subject->array_error);
	return subject->array;
}

/* The array if it has elements; otherwise NULL, which is a pass or a skip. */
static const struct array *array_with_elements(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	return array && array_elements(array) > 0 ? array : NULL;
}

static bool is_negative(const struct value *integer)
{
	if (value_is(integer, VALUE_WIDE_INT))
		return integer->bytes[0] == '-';
	return value_is(integer, VALUE_INT) && integer->integer < 0;
}

void shared_check_extents(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");

	for (size_t i = 0; value_is_sequence(shape) && i < shape->n_items; i++)
		if (is_negative(shape->items[i]))
			rule_fail(report, arena_printf(subject->arena, "shape[%zu]", i),
				"shape[%zu] is %s, expected 0 or more", i,
				shared_show(subject->arena, shape->items[i]));
}

bool shared_check_entries(
	const struct subject *subject, struct report *report, const char *key, int64_t n_items)
{
	const struct value *entries = value_get(subject->declared, key);

	if (!value_is_sequence(entries))
		rule_fail(report, key, "%s points to memory that cannot be read", key);
	else if (entries->n_items != (size_t)n_items)
		rule_fail(report, key, "%s has %zu %s, expected %lld", key, entries->n_items,
			entries->n_items == 1 ? "entry" : "entries", (long long)n_items);
	else
		return true;
	return false;
}

void shared_check_stride_count(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");
	const struct value *strides = value_get(subject->declared, "strides");

	if (value_is_sequence(shape) && value_is_sequence(strides) &&
		strides->n_items != shape->n_items)
		rule_fail(report, "strides", "strides has %zu %s, expected %zu", strides->n_items,
			strides->n_items == 1 ? "entry" : "entries", shape->n_items);
}

/* Each extent fits in 64 bits, and so does the size in bytes unless an extent is 0. Other rules
 * report extents that are not integers or are negative; they count as 1. */
static bool check_product(
	const struct subject *subject, struct report *report, int64_t itemsize, bool *is_empty)
{
	const struct value *shape = value_get(subject->declared, "shape");
	int64_t total = itemsize > 0 ? itemsize : 1, extent;
	bool overflows = false;

	*is_empty = false;
	for (size_t i = 0; i < shape->n_items; i++) {
		if (!value_is_integer(shape->items[i]) || is_negative(shape->items[i]))
			continue;
		if (!value_to_int64(shape->items[i], &extent)) {
			rule_fail(report, arena_printf(subject->arena, "shape[%zu]", i),
				"shape[%zu] is %s, which exceeds a signed 64-bit integer", i,
				shared_show(subject->arena, shape->items[i]));
			return false;
		}
		*is_empty |= extent == 0;
		overflows |= __builtin_mul_overflow(total, extent, &total);
	}
	if (overflows && !*is_empty)
		rule_fail(report, "shape",
			"the size of the array in bytes exceeds a signed 64-bit integer");
	return *is_empty || !overflows;
}

/* The range of offsets from data[0] that a layout reaches, in bytes. */
struct reach {
	int64_t low, high;
};

/* Adds a dimension; false if the stride or the range does not fit in a signed 64-bit integer. The
 * stride of an extent of 0 or 1 is not used; an unknown extent is negative, and counts as 1. */
static bool widen_reach(
	struct reach *reach, const struct value *stride, int64_t extent, int64_t unit_bytes)
{
	int64_t bytes, last, *end;

	if (!value_is_integer(stride))
		return true;
	if (!value_to_int64(stride, &bytes))
		return false;
	if (extent == 0 || extent == 1)
		return true;
	if (__builtin_mul_overflow(bytes, unit_bytes, &bytes) ||
		__builtin_mul_overflow(bytes, extent > 0 ? extent - 1 : 0, &last))
		return false;
	end = last > 0 ? &reach->high : &reach->low;
	return !__builtin_add_overflow(*end, last, end);
}

/* The offset of the first element; false if it is not at an address. */
static bool read_offset(
	const struct subject *subject, struct report *report, int64_t unit_bytes, int64_t *bytes)
{
	const struct value *offset = value_get(subject->declared, "offset");
	uint64_t pointer = 0;
	int64_t count = 0;
	__int128 address;
	bool has_pointer;

	has_pointer = value_to_uint64(value_at(subject->declared, "data[0]"), &pointer);
	*bytes = 0;
	if (!value_is_integer(offset))
		return true;
	if (!value_to_int64(offset, &count) || __builtin_mul_overflow(count, unit_bytes, bytes)) {
		rule_fail(report, "offset",
			"offset is %s, which in bytes is outside the range of a signed 64-bit integer",
			shared_show(subject->arena, offset));
		return false;
	}
	address = (__int128)pointer + *bytes;
	if (!has_pointer || (address >= 0 && address <= UINT64_MAX))
		return true;
	rule_fail(report, "offset",
		"offset is %s, which places the first element outside the address space",
		shared_show(subject->arena, offset));
	return false;
}

bool shared_check_size(const struct subject *subject, struct report *report, int64_t itemsize,
	int64_t unit_bytes, bool has_offset)
{
	const struct value *shape = value_get(subject->declared, "shape");
	const struct value *strides = value_get(subject->declared, "strides");
	struct reach reach = { 0 };
	int64_t stride;
	bool is_empty;

	unit_bytes = unit_bytes > 0 ? unit_bytes : 1;
	if (!value_is_sequence(shape))
		return true;
	if (!check_product(subject, report, itemsize, &is_empty) ||
		(has_offset && !read_offset(subject, report, unit_bytes, &reach.low)))
		return false;
	reach.high = reach.low;
	for (size_t i = 0; value_is_sequence(strides) && i < strides->n_items && i < shape->n_items;
		i++) {
		int64_t extent = is_empty ? 0 : value_int_or(shape->items[i], -1);

		if (!widen_reach(&reach, strides->items[i], extent, unit_bytes)) {
			rule_fail(report, arena_printf(subject->arena, "strides[%zu]", i),
				"strides[%zu] is %s, %s outside the range of a signed 64-bit integer",
				i, shared_show(subject->arena, strides->items[i]),
				value_to_int64(strides->items[i], &stride)
					? "so the offset of an element in bytes is"
					: "which is");
			return false;
		}
	}
	return true;
}

/* --- the address space --- */

/* Five levels of page tables: no processor or device has more. Addresses themselves may exceed it,
 * because devices and tagged pointers set the bits above. */
enum { ADDRESS_SPACE_BITS = 57 };

enum space { SPACE_FITS, SPACE_BELOW, SPACE_ABOVE, SPACE_WIDE };

static enum space place_in_space(const struct array *array)
{
	const __int128 far = (__int128)1 << 100; /* sums of 64 such terms fit */
	__int128 low = array->pointer;
	__int128 high = low + dtype_itemsize(&array->dtype);

	for (int i = 0; i < array->n_dims; i++) {
		__int128 last = (__int128)array->stride_bytes[i] * (array->shape[i] - 1);

		if (last < 0)
			low += last < -far ? -far : last;
		else
			high += last > far ? far : last;
	}
	if (low < 0)
		return SPACE_BELOW;
	if (high > (__int128)UINT64_MAX + 1)
		return SPACE_ABOVE;
	return high - low > (__int128)1 << ADDRESS_SPACE_BITS ? SPACE_WIDE : SPACE_FITS;
}

bool shared_is_in_address_space(const struct array *array)
{
	const char *type = array->device.type;

	/* On some devices data may be the handle of a buffer object, to which no index is added. */
	return !array->pointer || array_elements(array) <= 0 ||
	       dtype_itemsize(&array->dtype) <= 0 ||
	       (type && device_type_named(type)->data != DEVICE_DATA_ADDRESS) ||
	       place_in_space(array) == SPACE_FITS;
}

static bool fits_compact(const struct array *array)
{
	struct array compact = *array;

	array_set_compact_strides(&compact, 'C');
	return place_in_space(&compact) == SPACE_FITS;
}

bool shared_exceeds_by_address(const struct array *array)
{
	int64_t n_bytes = array_nbytes(array);

	return !shared_is_in_address_space(array) && !fits_compact(array) && n_bytes >= 0 &&
	       n_bytes <= (int64_t)1 << ADDRESS_SPACE_BITS;
}

/* The key that is the cause: strides, if those of a compact array would fit. */
static const char *address_space_cause(const struct array *array, const char *pointer)
{
	if (array->strides_given && fits_compact(array))
		return "strides";
	return shared_exceeds_by_address(array) ? pointer : "shape";
}

void shared_check_address_space(
	const struct subject *subject, struct report *report, const char *pointer)
{
	const struct array *array = subject->array;
	unsigned long long address = array ? array->pointer : 0;
	enum space space;

	if (!array || shared_is_in_address_space(array))
		return;
	space = place_in_space(array);
	if (space == SPACE_BELOW)
		rule_fail(report, address_space_cause(array, pointer),
			"the first element is at 0x%llx, and others are below address 0", address);
	else if (space == SPACE_ABOVE)
		rule_fail(report, address_space_cause(array, pointer),
			"the first element is at 0x%llx, and the elements extend past the end of the 64-bit address space",
			address);
	else if (space == SPACE_WIDE)
		rule_fail(report, address_space_cause(array, pointer),
			"the elements span more than 2^%d bytes, the size of the largest supported address space",
			ADDRESS_SPACE_BITS);
}

/* Whether the strides are those of a compact array of this shape, every extent counted. */
static bool has_compact_strides(const struct array *array, char order)
{
	struct array compact = *array;

	array_set_compact_strides(&compact, order);
	return !memcmp(compact.stride_bytes, array->stride_bytes,
		(size_t)array->n_dims * sizeof(*array->stride_bytes));
}

void shared_check_redundant_strides(const struct subject *subject, struct report *report)
{
	const struct array *array = array_with_elements(subject, report);

	if (array && !subject->is_repaired && array->strides_given && array->n_dims &&
		has_compact_strides(array, 'C'))
		rule_fail(
			report, "strides", "strides is redundant: the array is compact in C order");
}

/* The smallest non-zero step in bytes along dimensions of several elements; 0: there is none. */
static int64_t smallest_step(const struct array *array)
{
	int64_t smallest = 0;

	for (int i = 0; i < array->n_dims; i++) {
		int64_t stride = array->stride_bytes[i];
		int64_t step = stride == INT64_MIN ? INT64_MAX : llabs(stride);

		if (array->shape[i] > 1 && step && (!smallest || step < smallest))
			smallest = step;
	}
	return smallest;
}

/* The smallest step that strides in bytes have: no view splits a number, a pointer or a character.
 * A read-only view of a text may have an element at each byte. */
static int64_t smallest_valid_step(const struct array *array)
{
	int64_t itemsize = dtype_itemsize(&array->dtype);

	switch (array->dtype.kind) {
	case DTYPE_COMPLEX:
		return itemsize / 2;
	case DTYPE_UNICODE:
		return 4;
	case DTYPE_BYTES:
	case DTYPE_VOID:
		return itemsize > 1 && array->readonly != READONLY_YES ? 2 : 1;
	default:
		return itemsize;
	}
}

void shared_check_stride_unit(const struct subject *subject, struct report *report)
{
	const struct array *array = array_with_elements(subject, report);
	int64_t step = array ? smallest_step(array) : 0;

	if (step && step < smallest_valid_step(array))
		rule_fail(report, "strides",
			"the smallest stride other than 0 is %lld or -%lld, but an element has %lld bytes: strides seem to be in elements",
			(long long)step, (long long)step, (long long)dtype_itemsize(&array->dtype));
}

void shared_check_overlap(const struct subject *subject, struct report *report)
{
	const struct array *array = array_with_elements(subject, report);
	enum array_overlap overlap;

	if (!array || array->readonly == READONLY_YES)
		return;
	overlap = array_overlap(array);
	if (overlap == OVERLAP_YES)
		rule_fail(report, "strides",
			"elements overlap in memory, but the array is not declared read-only");
	else if (overlap == OVERLAP_UNKNOWN)
		rule_skip(report, "checking whether elements overlap takes too long");
}

void shared_check_unit_strides(const struct subject *subject, struct report *report)
{
	const struct array *array = array_with_elements(subject, report);

	if (!array || has_compact_strides(array, 'C') || has_compact_strides(array, 'F'))
		return;
	if (array_is_c_contiguous(array) || array_is_f_contiguous(array))
		rule_fail(report, "strides",
			"the array is contiguous, but the stride of a dimension of extent 1 is not that of a compact array");
}

bool shared_declares_elements(const struct value *shape)
{
	for (size_t i = 0; value_is_sequence(shape) && i < shape->n_items; i++)
		if (value_is(shape->items[i], VALUE_INT) && shape->items[i]->integer == 0)
			return false;
	return shape;
}

void shared_fail_null(const struct subject *subject, struct report *report, const char *field,
	const char *is_null)
{
	const struct array *array = subject->array;
	int64_t n_elements = array ? array_elements(array) : -1;

	if (!shared_declares_elements(value_get(subject->declared, "shape")) || !n_elements)
		return;
	if (n_elements > 0)
		rule_fail(report, field, "%s is %s but the array has %lld element%s", field,
			is_null, (long long)n_elements, plural(n_elements));
	else
		rule_fail(report, field, "%s is %s but no extent in shape is 0", field, is_null);
}

void shared_check_null(const struct subject *subject, struct report *report)
{
	uint64_t address;

	if (value_to_address(value_at(subject->declared, "data[0]"), &address) && !address)
		shared_fail_null(subject, report, "data[0]", "0");
}

/* The unit of a load: the size of a number or a date; 1 for bytes and structures. */
static int64_t unit_bytes_of(const struct dtype *dtype, bool splits_complex)
{
	int64_t n_bytes = dtype_itemsize(dtype);

	if (dtype->kind == DTYPE_COMPLEX && splits_complex)
		return n_bytes / 2;
	return dtype->kind < DTYPE_BYTES ? n_bytes : 1;
}

/* The type, and an address of the alignment of the first element; false if they are unknown or the
 * array has no elements. They are known even if the layout of a dictionary cannot be described,
 * because an offset is in elements. */
static bool read_position(const struct subject *subject, struct dtype *dtype, uint64_t *address)
{
	const struct array *array = subject->array;

	if (array) {
		*dtype = array->dtype;
		*address = array->pointer;
		return array_elements(array) > 0;
	}
	return shared_read_dtype(subject, dtype) &&
	       value_to_uint64(value_at(subject->declared, "data[0]"), address) &&
	       shared_declares_elements(value_get(subject->declared, "shape"));
}

void shared_check_aligned(struct report *report, const char *field, const struct dtype *dtype,
	uint64_t address, bool splits_complex)
{
	int64_t unit_bytes = unit_bytes_of(dtype, splits_complex);

	if (unit_bytes > 1 && address % (uint64_t)unit_bytes)
		rule_fail(report, field,
			"the first element is at 0x%llx, which is not a multiple of %lld bytes",
			(unsigned long long)address, (long long)unit_bytes);
}

void shared_check_alignment(const struct subject *subject, struct report *report, const char *field,
	bool splits_complex)
{
	struct dtype dtype;
	uint64_t address;

	if (read_position(subject, &dtype, &address))
		shared_check_aligned(report, field, &dtype, address, splits_complex);
	else
		shared_array(subject, report);
}

void shared_check_dimension_count(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");

	if (value_is_sequence(shape) && shape->n_items > ARRAY_MAX_DIMS)
		rule_fail(report, "shape", "shape has %zu entries, expected at most %d",
			shape->n_items, ARRAY_MAX_DIMS);
}
