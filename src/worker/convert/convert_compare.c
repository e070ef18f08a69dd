// SPDX-License-Identifier: MIT
/*
 * Compares two arrays of any sessions, block by block. If a device holds one of them, each side's
 * 64-bit sum of a block is computed in its own memory (devices/reduce.h), and a block is copied to
 * the host only if the sums differ, to find the element; otherwise the host compares elements.
 */
#include "worker/convert/convert_compare.h"

#include "base/debug.h"
#include "base/text.h"
#include "copy/blocks.h"
#include "copy/compare.h"
#include "copy/host/host_copy.h"
#include "devices/mapping.h"
#include "devices/reduce.h"
#include "model/runtimes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20, SHOWN_BYTES = 16 };

struct side {
	struct mapping mapping;
	struct array array;      /* mapping's, with each broadcast dimension that is skipped as 1 */
	struct transfer_end end; /* array, at mapping's location */
	struct array block;      /* in place, or copied to the host */
	char *bytes;             /* for blocks that were copied or made dense; NULL: not yet */
	bool by_device;          /* its sums are */
	struct reducer reducer;  /* of the device */
};

struct compare_state {
	struct side sides[2]; /* the source and the result */
	int64_t n_before;     /* elements compared */
	bool by_sums;
	struct comparison comparison;
	const char *difference;
	struct conversion *conversion;
};

static void convert_compare_add_element(
	struct text *text, const struct array *array, const int64_t *index)
{
	int64_t n_bytes = dtype_itemsize(&array->dtype);
	uint64_t at = array->pointer;

	for (int i = 0; i < array->n_dims; i++)
		at += (uint64_t)index[i] * (uint64_t)array->stride_bytes[i];
	for (int64_t i = 0; at && i < n_bytes && i < SHOWN_BYTES; i++)
		text_printf(text, "%02x", ((const unsigned char *)(uintptr_t)at)[i]);
	text_add(text, n_bytes > SHOWN_BYTES ? "..." : "");
}

/* "[1, 2]", the index in the whole array of an index in the block. */
static void add_index(struct text *text, const struct compare_state *state)
{
	const struct array *whole = state->sides[0].end.array;
	const struct array *block = &state->sides[0].block;
	int64_t index[ARRAY_MAX_DIMS], n = 0;

	for (int i = 0; i < block->n_dims; i++)
		n = n * block->shape[i] + state->comparison.index[i];
	n += state->n_before;
	for (int i = whole->n_dims - 1; i >= 0; i--) {
		index[i] = n % whole->shape[i];
		n /= whole->shape[i];
	}
	for (int i = 0; i < whole->n_dims; i++)
		text_printf(text, "%s%" PRId64, i ? ", " : "", index[i]);
}

/* "element [1, 2]: 0000803f in the source, 0100803f in the result", bytes in memory order. */
static const char *describe_difference(const struct compare_state *state)
{
	struct text text = { 0 };
	const char *difference;

	text_add(&text, "element [");
	add_index(&text, state);
	text_add(&text, "]: bytes ");
	convert_compare_add_element(&text, &state->sides[0].block, state->comparison.index);
	text_add(&text, " in the source, ");
	convert_compare_add_element(&text, &state->sides[1].block, state->comparison.index);
	text_add(&text, " in the result");
	difference = arena_copy(state->conversion->context->arena, text.bytes, text.n_bytes);
	text_free(&text);
	return difference;
}

static bool same_kind(const struct array *a, const struct array *b)
{
	bool same =
		a->n_dims == b->n_dims && dtype_itemsize(&a->dtype) == dtype_itemsize(&b->dtype);

	for (int i = 0; same && i < a->n_dims; i++)
		same = a->shape[i] == b->shape[i];
	return same;
}

static int make_room(struct side *side, struct err *err)
{
	int64_t item_bytes = dtype_itemsize(&side->end.array->dtype);

	if (!side->bytes)
		side->bytes = malloc(item_bytes > BLOCK_BYTES ? (size_t)item_bytes : BLOCK_BYTES);
	return side->bytes ? 0 : err_set(err, EXIT_BUG, "cannot allocate memory for --verify");
}

/* Copies a side's block to the host unless the host can access it. */
static int convert_compare_bring(struct side *side, struct err *err)
{
	const struct memory_location host = { .host_reaches = true };
	struct array dense = side->block;
	const struct transfer_end from = { &side->block, side->end.location },
				  to = { &dense, &host };
	struct transfer transfer = { 0 };

	if (side->end.location->host_reaches)
		return 0;
	if (make_room(side, err))
		return -1;
	dense.pointer = (uint64_t)(uintptr_t)side->bytes;
	array_set_compact_strides(&dense, 'C');
	if (transfer_run(&transfer, &from, &to, TRANSFER_AUTO, err))
		return -1;
	side->reducer.n_launches += transfer.launch.n_launches;
	side->reducer.n_brought_bytes += transfer.n_brought_bytes;
	side->block = dense;
	return 0;
}

static int bring_and_compare(struct compare_state *state, struct err *err)
{
	if (convert_compare_bring(&state->sides[0], err) ||
		convert_compare_bring(&state->sides[1], err))
		return -1;
	compare_arrays(&state->comparison, &state->sides[0].block, &state->sides[1].block);
	return 0;
}

static void set_blocks(struct compare_state *state, const struct array *block)
{
	state->sides[0].block = *block;
	state->sides[1].block = blocks_same(state->sides[1].end.array, block, state->n_before);
}

static void step_over(struct compare_state *state, const struct array *block)
{
	state->n_before += array_elements(block);
	convert_report_progress(state->conversion, state->n_before * dtype_itemsize(&block->dtype));
}

/* Compares the elements of a block, which fits into a side's buffer. */
static int compare_elements(void *context, const struct array *block, struct err *err)
{
	struct compare_state *state = context;
	int rc;

	if (state->difference)
		return 0;
	set_blocks(state, block);
	WITHOUT_GIL(rc = bring_and_compare(state, err));
	if (!rc && !state->comparison.equal)
		state->difference = describe_difference(state);
	step_over(state, block);
	return rc;
}

/* The sum of elements that the host can access, as a device computes it: dense, in native byte
 * order. */
static int sum_on_host(
	struct side *side, const struct reduction *sum, struct reduced *reduced, struct err *err)
{
	struct array dense = side->block;
	struct copy_plan plan;

	if (make_room(side, err))
		return -1;
	dense.dtype.foreign_order = false;
	dense.pointer = (uint64_t)(uintptr_t)side->bytes;
	array_set_compact_strides(&dense, 'C');
	if (plan_make(&plan, &side->block, &dense, err))
		return -1;
	host_copy(&plan, (const void *)(uintptr_t)side->block.pointer, side->bytes);
	reduce_bytes(reduced, sum, side->bytes, array_nbytes(&dense), 0);
	return 0;
}

static int sum_block(struct side *side, uint64_t *found, struct err *err)
{
	static const struct reduction sum = { .kind = REDUCE_SUM };
	const struct transfer_end end = { &side->block, side->end.location };
	struct reduced reduced;
	int rc;

	reduce_begin(&reduced);
	rc = side->by_device ? reducer_add(&side->reducer, &reduced, &sum, &end, err)
			     : sum_on_host(side, &sum, &reduced, err);
	*found = reduced.sum;
	return rc;
}

/* Compares a block's sums; if they differ, or there is no kernel, its elements. */
static int compare_block(void *context, const struct array *block, struct err *err)
{
	struct compare_state *state = context;
	uint64_t sums[2] = { 0 };
	int rc;

	if (state->difference)
		return 0;
	set_blocks(state, block);
	if (state->by_sums) {
		WITHOUT_GIL(rc = sum_block(&state->sides[0], &sums[0], err) ||
				 sum_block(&state->sides[1], &sums[1], err));
		if (!rc && sums[0] == sums[1]) {
			step_over(state, block);
			return 0;
		}
		if (rc && err->code != EXIT_UNAVAILABLE)
			return -1;
		state->by_sums = !rc;
		DEBUG_LOG("read", "verify: %s",
			rc ? err->message : "the checksums of a block differ");
	}
	return blocks_visit(block, 'C', BLOCK_BYTES, compare_elements, state, err);
}

/* If the host can access both sides, kernels are used only on request. */
static void convert_compare_prepare(
	struct side *side, const struct transfer_end *end, enum transfer_engine engine)
{
	const struct memory_location *location;
	struct err ignored;

	WITHOUT_GIL(mapping_open(&side->mapping, end, engine, &ignored));
	side->array = *side->mapping.end.array;
	side->end = (struct transfer_end){ &side->array, side->mapping.end.location };
	location = side->end.location;
	side->reducer.session = location->session;
	side->by_device = location->session && engine != TRANSFER_HOST &&
			  (!location->host_reaches || engine == TRANSFER_KERNEL);
}

/* What both sides broadcast is compared once: the other elements have the same two addresses. */
static void skip_broadcast_dimensions(struct array *source, struct array *result)
{
	for (int i = 0; i < source->n_dims; i++)
		if (source->shape[i] > 1 && !source->stride_bytes[i] && !result->stride_bytes[i])
			source->shape[i] = result->shape[i] = 1;
}

static void convert_compare_finish(struct side *side)
{
	struct err ignored;

	DEBUG_LOG("read", "verify by %s: %d launches, %" PRId64 " bytes copied back",
		side->by_device ? side->reducer.session->runtime->name : RUNTIME_HOST,
		side->reducer.n_launches, side->reducer.n_brought_bytes);
	WITHOUT_GIL(reducer_free(&side->reducer); mapping_close(&side->mapping, &ignored));
	free(side->bytes);
}

int convert_compare(struct conversion *conversion, const struct transfer_end *source,
	const struct transfer_end *result, struct err *err)
{
	struct compare_state state = { .conversion = conversion };
	struct side *sides = state.sides;
	bool on_host;
	int rc = 0;

	convert_compare_prepare(&sides[0], source, conversion->engine);
	convert_compare_prepare(&sides[1], result, conversion->engine);
	state.by_sums = sides[0].by_device || sides[1].by_device;
	on_host = !sides[0].by_device || !sides[1].by_device; /* its sums are of its bytes */
	if (!same_kind(source->array, result->array)) {
		state.difference = "the shapes or item sizes differ";
	} else {
		skip_broadcast_dimensions(&sides[0].array, &sides[1].array);
		rc = blocks_visit(&sides[0].array, 'C', on_host ? BLOCK_BYTES : reducer_block_bytes,
			compare_block, &state, err);
	}
	convert_end_progress();
	convert_compare_finish(&sides[0]);
	convert_compare_finish(&sides[1]);
	if (rc)
		return -1;
	conversion->facts.verified = answer_of(!state.difference);
	conversion->facts.difference = state.difference;
	return 0;
}
