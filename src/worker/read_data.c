// SPDX-License-Identifier: MIT
/*
 * Elements on request (--values, --stats, --checksum), in C order, of the first interface whose
 * memory is known to be readable by the host over its whole extent.
 */
#include "worker/read_data.h"

#include "base/crc32.h"
#include "model/array.h"
#include "model/element.h"
#include "model/memory.h"
#include "protocols/protocol.h"

#include <stdio.h>

/* Steps through the indices of an array in C order. */
struct walk {
	const struct array *array;
	int64_t index[ARRAY_MAX_DIMS];
	const char *at;
	int64_t n_left;
};

static void walk_begin(struct walk *walk, const struct array *array)
{
	*walk = (struct walk){ .array = array,
		.at = (const char *)(uintptr_t)array->pointer,
		.n_left = array_elements(array) };
}

static void walk_next(struct walk *walk)
{
	const struct array *array = walk->array;

	walk->n_left--;
	for (int i = array->n_dims; i-- > 0;) {
		walk->at += array->stride_bytes[i];
		if (++walk->index[i] < array->shape[i])
			return;
		walk->at -= array->shape[i] * array->stride_bytes[i];
		walk->index[i] = 0;
	}
}

static struct value *read_values(
	struct arena *arena, const struct array *array, const struct value *wanted)
{
	struct value *values = value_list(arena);
	struct walk walk;

	for (walk_begin(&walk, array); walk.n_left > 0; walk_next(&walk)) {
		if ((int64_t)values->n_items >= value_int_or(wanted, 0))
			break;
		value_append(arena, values, element_to_value(arena, &array->dtype, walk.at));
	}
	return values;
}

struct statistics {
	bool any;
	struct element min, max;
	int64_t n_nan;
};

static void add_element(struct statistics *statistics, const struct element *element)
{
	if (element_is_nan(element)) {
		statistics->n_nan++;
		return;
	}
	if (!statistics->any || element_less(element, &statistics->min))
		statistics->min = *element;
	if (!statistics->any || element_less(&statistics->max, element))
		statistics->max = *element;
	statistics->any = true;
}

static struct value *number_fact(struct arena *arena, const struct element *element)
{
	if (element->kind == ELEMENT_SIGNED)
		return value_int(arena, element->integer);
	if (element->kind == ELEMENT_UNSIGNED)
		return value_uint(arena, element->natural);
	return value_real(arena, element->real);
}

/* Types without an order have no statistics. */
static struct value *read_stats(struct arena *arena, const struct array *array)
{
	struct statistics statistics = { 0 };
	struct element element;
	struct value *fact;
	struct walk walk;

	for (walk_begin(&walk, array); walk.n_left > 0; walk_next(&walk)) {
		if (array->dtype.lanes != 1 || !element_read(&element, &array->dtype, walk.at))
			return value_null(arena);
		add_element(&statistics, &element);
	}
	fact = value_map(arena);
	value_set(arena, fact, "min",
		statistics.any ? number_fact(arena, &statistics.min) : value_null(arena));
	value_set(arena, fact, "max",
		statistics.any ? number_fact(arena, &statistics.max) : value_null(arena));
	value_set(arena, fact, "nan", value_int(arena, statistics.n_nan));
	return fact;
}

static struct value *read_checksum(struct arena *arena, const struct array *array)
{
	size_t n_bytes = (size_t)dtype_itemsize(&array->dtype);
	uint32_t sum = 0;
	struct walk walk;

	if (array_is_c_contiguous(array))
		sum = crc32_add(
			sum, (const void *)(uintptr_t)array->pointer, (size_t)array_nbytes(array));
	else
		for (walk_begin(&walk, array); walk.n_left > 0; walk_next(&walk))
			sum = crc32_add(sum, walk.at, n_bytes);
	return value_textf(arena, "%08x", sum);
}

/* Whether the host may read all of the extent, by the one who was asked. */
static bool is_readable(const struct value *fact, uint64_t low, uint64_t high)
{
	struct memory memory;

	if (!memory_from_value(&memory, fact) || memory.asked_low != low ||
		memory.asked_high != high || memory.host_accessible != ANSWER_YES ||
		memory.readable == ANSWER_NO)
		return false;
	if (memory.readable == ANSWER_YES)
		return true;
	return memory.low_inside == ANSWER_YES && memory.high_inside == ANSWER_YES;
}

static bool find_readable(const struct value *interfaces, struct array *array)
{
	uint64_t low, high;
	struct err err;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];
		const struct protocol *protocol =
			protocol_find(value_text_or(value_get(interface, "protocol"), ""));

		if (value_is_text(value_get(interface, "status"), "ok") &&
			!protocol->describe(interface, array, &err) &&
			!array_extent(array, &low, &high, &err) &&
			(low == high || is_readable(value_get(interface, "memory"), low, high)))
			return true;
	}
	return false;
}

struct value *read_data(struct capture_context *context, const struct value *interfaces)
{
	const struct value *wanted = value_get(context->job, "read");
	const struct value *values = value_get(wanted, "values");
	bool stats = value_bool_or(value_get(wanted, "stats"), false);
	bool checksum = value_bool_or(value_get(wanted, "checksum"), false);
	struct arena *arena = context->arena;
	struct value *data = value_map(arena);
	struct array array;

	if ((value_is_null(values) && !stats && !checksum) || !find_readable(interfaces, &array) ||
		!worker_step("read"))
		return NULL;
	value_set(arena, data, "values",
		value_is_null(values) ? value_null(arena) : read_values(arena, &array, values));
	value_set(arena, data, "stats", stats ? read_stats(arena, &array) : value_null(arena));
	value_set(arena, data, "checksum",
		checksum ? read_checksum(arena, &array) : value_null(arena));
	worker_step_done();
	return data;
}
