// SPDX-License-Identifier: MIT
/*
 * Elements on request (--values, --stats, --checksum), in C order. A device computes the numbers of
 * its own memory and only these and the printed values are copied to the host (devices/reduce.h);
 * otherwise, and if it has no kernel for that, the host's loops read them.
 */
#include "worker/read/read_data.h"

#include "base/crc32.h"
#include "base/debug.h"
#include "copy/blocks.h"
#include "devices/reduce.h"
#include "model/element.h"
#include "model/runtimes.h"
#include "worker/capture/self_reported.h"
#include "worker/read/interfaces.h"
#include "worker/read/memory_location.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20 };

/* What is read, and its results. */
struct data_request {
	struct arena *arena;
	struct elements elements;
	const char *fallback;    /* why the host's loops read a device's memory; or NULL */
	int n_launches;          /* of the current reduction */
	int64_t n_brought_bytes; /* from the device */
};

/* One pass over the elements, in blocks that the host can read. */
struct pass {
	struct data_request *request;
	void *buffer;
	int64_t n_left; /* elements, of those requested */
	int64_t n_visited_bytes;
	void (*visit)(void *context, const struct array *block);
	void *context;
};

/* A block of the device's, packed into the buffer; of the last one only the requested elements. */
static int read_data_fetch(void *context, const struct array *block, struct err *err)
{
	struct pass *pass = context;
	struct data_request *request = pass->request;
	const struct memory_location host = { .host_reaches = true, .host_owns = true };
	int64_t n = array_elements(block), item_bytes = dtype_itemsize(&block->dtype);
	struct array dense = *block;
	struct transfer transfer = { .path = PATH_NULL };
	int rc;

	if (!pass->n_left)
		return 0;
	if (n > pass->n_left)
		return blocks_visit(
			block, 'C', pass->n_left * item_bytes, read_data_fetch, pass, err);
	dense.pointer = (uint64_t)(uintptr_t)pass->buffer;
	array_set_compact_strides(&dense, 'C');
	WITHOUT_GIL(rc = transfer_run(&transfer,
			    &(struct transfer_end){ block, &request->elements.location },
			    &(struct transfer_end){ &dense, &host }, TRANSFER_AUTO, err));
	request->n_launches += transfer.launch.n_launches;
	request->n_brought_bytes += transfer.n_brought_bytes;
	if (rc)
		return -1;
	pass->n_left -= n;
	pass->visit(pass->context, &dense);
	return 0;
}

/* A block in memory that the host reads in place. */
static int pass_on(void *context, const struct array *block, struct err *err)
{
	struct pass *pass = context;

	(void)err;
	pass->visit(pass->context, block);
	pass->n_left -= array_elements(block);
	return 0;
}

static void report_progress(void *context, int64_t n_bytes)
{
	const struct data_request *request = context;

	worker_work((uint64_t)n_bytes, (uint64_t)array_nbytes(&request->elements.array));
}

/* One bounded block at a time, copied if the host cannot read it in place; stops when all requested
 * elements are read. */
static int visit_block(void *context, const struct array *block, struct err *err)
{
	struct pass *pass = context;
	bool is_fetched = pass->request->elements.location.session != NULL;

	if ((is_fetched ? read_data_fetch : pass_on)(pass, block, err))
		return -1;
	pass->n_visited_bytes += array_nbytes(block);
	report_progress(pass->request, pass->n_visited_bytes);
	return pass->n_left > 0 ? 0 : -1;
}

/* Visits the first n elements in C order; the visitor counts those of the last block. */
static int walk_blocks(struct data_request *request, int64_t n,
	void (*visit)(void *context, const struct array *block), void *context)
{
	const struct elements *elements = &request->elements;
	int64_t item_bytes = dtype_itemsize(&elements->array.dtype), n_bytes;
	struct pass pass = { .request = request, .n_left = n, .visit = visit, .context = context };
	struct err ignored;
	int rc;

	if (__builtin_mul_overflow(n, item_bytes, &n_bytes) || n_bytes > BLOCK_BYTES)
		n_bytes = BLOCK_BYTES;
	n_bytes = n_bytes < item_bytes ? item_bytes : n_bytes;
	pass.buffer = elements->location.session ? malloc((size_t)n_bytes) : NULL;
	if (elements->location.session && !pass.buffer)
		return -1;
	rc = blocks_visit(&elements->array, 'C', n_bytes, visit_block, &pass, &ignored);
	worker_work(0, 0);
	free(pass.buffer);
	return pass.n_left > 0 ? rc : 0;
}

/* Steps through the indices of an array in C order. */
struct walk {
	const struct array *array;
	int64_t index[ARRAY_MAX_DIMS];
	uint64_t at; /* an address; the step past the last element may wrap around */
	int64_t n_left;
};

static void walk_begin(struct walk *walk, const struct array *array)
{
	*walk = (struct walk){
		.array = array, .at = array->pointer, .n_left = array_elements(array)
	};
}

static void walk_next(struct walk *walk)
{
	const struct array *array = walk->array;

	walk->n_left--;
	for (int i = array->n_dims; i-- > 0;) {
		walk->at += (uint64_t)array->stride_bytes[i];
		if (++walk->index[i] < array->shape[i])
			return;
		walk->at -= (uint64_t)array->shape[i] * (uint64_t)array->stride_bytes[i];
		walk->index[i] = 0;
	}
}

struct values {
	struct arena *arena;
	struct value *list;
	int64_t wanted;
};

static void add_values(void *context, const struct array *block)
{
	struct values *values = context;
	struct walk walk;

	for (walk_begin(&walk, block); walk.n_left > 0; walk_next(&walk)) {
		if ((int64_t)values->list->n_items >= values->wanted)
			return;
		value_append(values->arena, values->list,
			element_to_value(
				values->arena, &block->dtype, (const void *)(uintptr_t)walk.at));
	}
}

/* Only the printed elements are copied from a device. */
static struct value *read_values(struct data_request *request, int64_t n_values)
{
	struct values values = { request->arena, value_list(request->arena), n_values };

	if (values.wanted > 0 && walk_blocks(request, values.wanted, add_values, &values))
		return NULL;
	return values.list;
}

/* Reduces the elements by the device's kernels: 1. 0: the host has to; -1 with err set: neither
 * can. */
static int reduce(
	struct data_request *request, const struct reduction *reduction, struct reduced *reduced)
{
	struct reducer reducer = { .session = request->elements.location.session,
		.progress = report_progress,
		.context = request };
	const struct transfer_end end = { &request->elements.array, &request->elements.location };
	struct err err;
	int rc;

	if (!reducer.session)
		return 0;
	reduce_begin(reduced);
	WITHOUT_GIL(rc = reducer_add(&reducer, reduced, reduction, &end, &err);
		    reducer_free(&reducer));
	worker_work(0, 0);
	request->n_launches += reducer.n_launches;
	request->n_brought_bytes += reducer.n_brought_bytes;
	if (!rc)
		return 1;
	if (err.code != EXIT_UNAVAILABLE)
		return -1;
	request->fallback = arena_printf(request->arena, "%s", err.message);
	return 0;
}

struct statistics {
	bool any;
	struct element min, max;
	int64_t n_nan;
};

static void read_data_add_element(struct statistics *statistics, const struct element *element)
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

static void read_data_add_block(void *context, const struct array *block)
{
	struct statistics *statistics = context;
	struct element element;
	struct walk walk;

	for (walk_begin(&walk, block); walk.n_left > 0; walk_next(&walk))
		if (element_read(&element, &block->dtype, (const void *)(uintptr_t)walk.at))
			read_data_add_element(statistics, &element);
}

/* Returns as reduce() does. */
static int reduce_stats(struct data_request *request, struct statistics *statistics)
{
	struct dtype native = request->elements.array.dtype;
	struct reduction reduction = { .kind = REDUCE_STATS };
	struct reduced reduced;
	int found;

	native.foreign_order = false;
	reduction.item_bytes = (int)dtype_itemsize(&native);
	if (!element_order(&reduction.order, &native)) {
		if (request->elements.location.session)
			request->fallback = "no kernel compares elements of this type";
		return 0;
	}
	found = reduce(request, &reduction, &reduced);
	if (found <= 0)
		return found;
	statistics->any = reduced.n_nan < reduced.n_items;
	statistics->n_nan = (int64_t)reduced.n_nan;
	element_of_key(&statistics->min, &reduction.order, &native, reduced.min);
	element_of_key(&statistics->max, &reduction.order, &native, reduced.max);
	return 1;
}

static struct value *reduced_number_to_value(struct arena *arena, const struct element *element)
{
	if (element->kind == ELEMENT_SIGNED)
		return value_int(arena, element->integer);
	if (element->kind == ELEMENT_UNSIGNED)
		return value_uint(arena, element->natural);
	return value_real(arena, element->real);
}

/* Whether elements of the type are ordered, and therefore have statistics. */
static bool has_order(const struct dtype *dtype)
{
	static const unsigned char zeros[16];
	struct element element;

	return dtype->lanes == 1 && element_read(&element, dtype, zeros);
}

static struct fact_stats read_stats(struct data_request *request)
{
	struct fact_stats stats = { .present = false };
	struct statistics statistics = { 0 };
	int found;

	if (!has_order(&request->elements.array.dtype))
		return stats;
	found = reduce_stats(request, &statistics);
	if (found < 0 ||
		(!found && walk_blocks(request, INT64_MAX, read_data_add_block, &statistics)))
		return stats;
	stats.present = true;
	if (statistics.any) {
		stats.min = reduced_number_to_value(request->arena, &statistics.min);
		stats.max = reduced_number_to_value(request->arena, &statistics.max);
	}
	stats.nan = fact_int(statistics.n_nan);
	return stats;
}

static void add_checksum(void *context, const struct array *block)
{
	size_t n_bytes = (size_t)dtype_itemsize(&block->dtype);
	uint32_t *sum = context;
	struct walk walk;

	if (array_is_c_contiguous(block))
		*sum = crc32_add(
			*sum, (const void *)(uintptr_t)block->pointer, (size_t)array_nbytes(block));
	else
		for (walk_begin(&walk, block); walk.n_left > 0; walk_next(&walk))
			*sum = crc32_add(*sum, (const void *)(uintptr_t)walk.at, n_bytes);
}

static const char *read_checksum(struct data_request *request)
{
	const struct reduction reduction = { .kind = REDUCE_CRC };
	struct reduced reduced = { 0 };
	int found = reduce(request, &reduction, &reduced);

	if (!found) {
		reduced.crc = 0;
		found = walk_blocks(request, INT64_MAX, add_checksum, &reduced.crc);
	}
	if (found < 0)
		return NULL;
	return arena_printf(request->arena, "%08x", reduced.crc);
}

static const char *engine_of(const struct data_request *request)
{
	const struct device_session *session = request->elements.location.session;

	return session ? session->runtime->name : RUNTIME_HOST;
}

/* Logs the launches and copied bytes of `what`, and resets them. */
static void log_reading(struct data_request *request, const char *what)
{
	DEBUG_LOG("read", "%s by %s: %d launches, %" PRId64 " bytes copied back", what,
		engine_of(request), request->n_launches, request->n_brought_bytes);
	request->n_launches = 0;
	request->n_brought_bytes = 0;
}

static void read_elements_requested(
	struct data_request *request, const struct job_read *wanted, struct fact_data *data)
{
	if (wanted->values) {
		data->values = read_values(request, wanted->values);
		log_reading(request, "values");
	}
	if (wanted->stats) {
		data->stats = read_stats(request);
		log_reading(request, "stats");
	}
	if (wanted->checksum) {
		data->checksum = read_checksum(request);
		log_reading(request, "checksum");
	}
	data->engine = engine_of(request);
	data->fallback = request->fallback;
}

/* The interfaces of an object made from the target, without their data. */
static struct fact_interface_list capture_resolved(
	struct capture_context *context, PyObject *object)
{
	const struct job job = { .protocols = context->job->protocols,
		.facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY };
	struct fact_target resolved = { .present = true };
	struct capture_context fresh = {
		.arena = context->arena, .job = &job, .names = context->names, .target = &resolved
	};

	read_interfaces(&fresh, object);
	return resolved.interfaces;
}

/* The elements of the object whose memory holds the values, a new reference in *values. */
static int find_values(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces, struct elements *elements, PyObject **values,
	struct fact_data *data, struct err *err)
{
	struct fact_interface_list resolved;
	const char *resolved_by;
	int pending;

	*values = NULL;
	if (object_values_check(context->arena, object, &pending, err))
		return -1;
	*values = object_values_resolve(context->arena, object, pending, &resolved_by, err);
	if (!*values)
		return -1;
	if (resolved_by) {
		resolved = capture_resolved(context, *values);
		interfaces = &resolved;
		data->resolved_by = resolved_by;
	}
	return read_location_find(context, *values, interfaces, elements, err);
}

void read_data(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces)
{
	const struct job_read *wanted = &context->job->read;
	struct data_request request = { .arena = context->arena };
	struct fact_data *data = &context->target->data;
	PyObject *values;
	struct err err;

	if ((!wanted->values && !wanted->stats && !wanted->checksum) || !worker_step("read"))
		return;
	data->present = true;
	if (find_values(context, object, interfaces, &request.elements, &values, data, &err)) {
		data->reason = arena_printf(context->arena, "%s", err.message);
	} else if (worker_step("read") /* opening a session announces another step */) {
		read_elements_requested(&request, wanted, data);
		read_location_close(&request.elements);
	}
	Py_DecRef(values);
	worker_step_done();
}
