// SPDX-License-Identifier: MIT
/*
 * Elements on request (--values, --stats, --checksum), in C order, of the first interface whose
 * memory is known to be readable over its whole extent: by the host's own loops, or, where the CUDA
 * driver answered, block by block through it, each packed on the device and ordered after the
 * producer's stream.
 */
#include "worker/read_data.h"

#include "base/crc32.h"
#include "copy/blocks.h"
#include "devices/transfer.h"
#include "model/array.h"
#include "model/element.h"
#include "model/memory.h"
#include "protocols/protocol.h"
#include "worker/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20 };

/* What is read, and the place that it is fetched from; NULL: the host reads it where it is. */
struct elements {
	struct array array;
	struct device_place *place;
};

/* One pass over the elements, in blocks that the host can read. */
struct pass {
	const struct elements *elements;
	void *buffer;
	bool (*visit)(void *context, const struct array *block); /* false: enough was seen */
	void *context;
	bool is_done;
};

/* A block of the device's, packed into the buffer. */
static int fetch(void *context, const struct array *block, struct err *err)
{
	struct pass *pass = context;
	const struct site device = { .place = pass->elements->place };
	const struct site host = { .host_reaches = true, .host_owns = true };
	struct array dense = *block;
	struct transfer transfer = { .path = NULL };
	int rc;

	dense.pointer = (uint64_t)(uintptr_t)pass->buffer;
	array_set_compact_strides(&dense, 'C');
	WITHOUT_GIL(rc = transfer_run(&transfer, &(struct transfer_end){ block, &device },
			    &(struct transfer_end){ &dense, &host }, TRANSFER_AUTO, err));
	if (rc)
		return -1;
	pass->is_done = !pass->visit(pass->context, &dense);
	return pass->is_done ? -1 : 0;
}

/* Visits all elements in C order, at most max_bytes at a time where they have to be fetched. */
static int walk_blocks(const struct elements *elements, int64_t max_bytes,
	bool (*visit)(void *context, const struct array *block), void *context)
{
	int64_t item_bytes = dtype_itemsize(&elements->array.dtype);
	struct pass pass = { .elements = elements, .visit = visit, .context = context };
	struct err ignored;
	int rc;

	if (!elements->place) {
		(void)visit(context, &elements->array);
		return 0;
	}
	max_bytes = max_bytes < item_bytes ? item_bytes : max_bytes;
	pass.buffer = malloc((size_t)max_bytes);
	if (!pass.buffer)
		return -1;
	rc = blocks_visit(&elements->array, 'C', max_bytes, fetch, &pass, &ignored);
	free(pass.buffer);
	return rc && !pass.is_done ? -1 : 0;
}

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

struct values {
	struct arena *arena;
	struct value *list;
	int64_t wanted;
};

static bool add_values(void *context, const struct array *block)
{
	struct values *values = context;
	struct walk walk;

	for (walk_begin(&walk, block); walk.n_left > 0; walk_next(&walk)) {
		if ((int64_t)values->list->n_items >= values->wanted)
			return false;
		value_append(values->arena, values->list,
			element_to_value(values->arena, &block->dtype, walk.at));
	}
	return (int64_t)values->list->n_items < values->wanted;
}

/* Of a device no more is fetched than what is shown. */
static struct value *read_values(
	struct arena *arena, const struct elements *elements, const struct value *wanted)
{
	struct values values = { arena, value_list(arena), value_int_or(wanted, 0) };
	int64_t item_bytes = dtype_itemsize(&elements->array.dtype), n_bytes;

	if (__builtin_mul_overflow(values.wanted, item_bytes, &n_bytes) || n_bytes > BLOCK_BYTES)
		n_bytes = BLOCK_BYTES;
	if (values.wanted > 0 && walk_blocks(elements, n_bytes, add_values, &values))
		return value_null(arena);
	return values.list;
}

struct statistics {
	bool any, is_unordered;
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
static bool add_block(void *context, const struct array *block)
{
	struct statistics *statistics = context;
	struct element element;
	struct walk walk;

	for (walk_begin(&walk, block); walk.n_left > 0; walk_next(&walk)) {
		if (block->dtype.lanes != 1 || !element_read(&element, &block->dtype, walk.at)) {
			statistics->is_unordered = true;
			return false;
		}
		add_element(statistics, &element);
	}
	return true;
}

static struct value *read_stats(struct arena *arena, const struct elements *elements)
{
	struct statistics statistics = { 0 };
	struct value *fact;

	if (walk_blocks(elements, BLOCK_BYTES, add_block, &statistics) || statistics.is_unordered)
		return value_null(arena);
	fact = value_map(arena);
	value_set(arena, fact, "min",
		statistics.any ? number_fact(arena, &statistics.min) : value_null(arena));
	value_set(arena, fact, "max",
		statistics.any ? number_fact(arena, &statistics.max) : value_null(arena));
	value_set(arena, fact, "nan", value_int(arena, statistics.n_nan));
	return fact;
}

static bool add_checksum(void *context, const struct array *block)
{
	size_t n_bytes = (size_t)dtype_itemsize(&block->dtype);
	uint32_t *sum = context;
	struct walk walk;

	if (array_is_c_contiguous(block))
		*sum = crc32_add(
			*sum, (const void *)(uintptr_t)block->pointer, (size_t)array_nbytes(block));
	else
		for (walk_begin(&walk, block); walk.n_left > 0; walk_next(&walk))
			*sum = crc32_add(*sum, walk.at, n_bytes);
	return true;
}

static struct value *read_checksum(struct arena *arena, const struct elements *elements)
{
	uint32_t sum = 0;

	if (walk_blocks(elements, BLOCK_BYTES, add_checksum, &sum))
		return value_null(arena);
	return value_textf(arena, "%08x", sum);
}

/* Whether the host may read all of the extent, by the one who was asked. */
static bool is_readable(const struct value *fact, uint64_t low, uint64_t high)
{
	struct memory memory;

	if (!memory_from_value(&memory, fact) ||
		(memory.by && !strcmp(memory.by, "cuda") && memory.kind != MEMORY_UNKNOWN) ||
		memory.asked_low != low || memory.asked_high != high ||
		memory.host_accessible != ANSWER_YES || memory.readable == ANSWER_NO)
		return false;
	if (memory.readable == ANSWER_YES)
		return true;
	return memory.low_inside == ANSWER_YES && memory.high_inside == ANSWER_YES;
}

/* Whether the CUDA driver knows all of the extent: the place, after the producer's work. */
static struct device_place *open_place(
	const struct value *interface, const struct array *array, uint64_t low, uint64_t high)
{
	struct device_place *place;
	struct memory memory;
	struct err ignored;
	bool waited;
	int rc;

	if (low == high || !memory_from_value(&memory, value_get(interface, "memory")) ||
		!memory.by || strcmp(memory.by, "cuda") != 0 || memory.kind == MEMORY_UNKNOWN ||
		memory.asked_low != low || memory.asked_high != high ||
		memory.readable == ANSWER_NO || memory.low_inside != ANSWER_YES ||
		memory.high_inside != ANSWER_YES)
		return NULL;
	place = cuda_open_ordered(interface, array->pointer, &ignored);
	if (!place)
		return NULL;
	WITHOUT_GIL(rc = place->runtime->wait(place, &waited, &ignored));
	if (!rc)
		return place;
	WITHOUT_GIL(place->runtime->close(place));
	return NULL;
}

static bool find_readable(const struct value *interfaces, struct elements *elements)
{
	struct array *array = &elements->array;
	uint64_t low, high;
	struct err err;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];
		const struct protocol *protocol =
			protocol_find(value_text_or(value_get(interface, "protocol"), ""));

		if (!value_is_text(value_get(interface, "status"), "ok") ||
			protocol->describe(interface, array, &err) ||
			array_extent(array, &low, &high, &err))
			continue;
		elements->place = open_place(interface, array, low, high);
		if (elements->place || low == high ||
			is_readable(value_get(interface, "memory"), low, high))
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
	struct elements elements = { .place = NULL };

	if ((value_is_null(values) && !stats && !checksum) || !worker_step("read") ||
		!find_readable(interfaces, &elements)) {
		worker_step_done();
		return NULL;
	}
	value_set(arena, data, "values",
		value_is_null(values) ? value_null(arena) : read_values(arena, &elements, values));
	value_set(arena, data, "stats", stats ? read_stats(arena, &elements) : value_null(arena));
	value_set(arena, data, "checksum",
		checksum ? read_checksum(arena, &elements) : value_null(arena));
	if (elements.place)
		WITHOUT_GIL(elements.place->runtime->close(elements.place));
	worker_step_done();
	return data;
}
