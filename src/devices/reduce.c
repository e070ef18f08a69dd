// SPDX-License-Identifier: MIT
/* Runs the kernels of reduce.cl on the blocks of an array. */
#include "devices/reduce.h"

#include "base/debug.h"
#include "copy/blocks.h"

#include <string.h>

enum { IN_PLACE_BYTES = 1 << 30 };

int64_t reducer_block_bytes = 64 << 20;

/* The reduction of one array. */
struct reduction_state {
	struct reducer *reducer;
	struct reduced *reduced;
	const struct reduction *reduction;
	const struct memory_location *location;
	struct device_pointer data; /* of the block */
	int64_t n_done;             /* bytes */
	bool in_place;
};

static int run_level(
	void *context, const struct kernel_launch *launch, bool from_data, struct err *err)
{
	struct reduction_state *state = context;
	struct reducer *reducer = state->reducer;

	reducer->n_launches++;
	DEBUG_LOG("reduce", "%s, %u groups", launch->kernel->name, launch->n_groups);
	return reducer->session->runtime->launch(reducer->session, launch, reducer->scratch,
		from_data ? state->data : reducer->scratch, err);
}

/*
 * Ensures a block of device memory of at least the wanted size. Without it no kernel can run, and
 * the host may compute the result.
 */
static int grow(struct reducer *reducer, struct device_pointer *memory, int64_t *n_bytes,
	int64_t wanted, struct err *err)
{
	const struct device_runtime *runtime = reducer->session->runtime;

	if (*n_bytes >= wanted)
		return 0;
	if (*n_bytes)
		runtime->release(reducer->session, *memory);
	*n_bytes = 0;
	if (runtime->allocate(
		    reducer->session, runtime->device_kind, (size_t)wanted, memory, err)) {
		err->code = EXIT_UNAVAILABLE;
		return -1;
	}
	*n_bytes = wanted;
	return 0;
}

static int reduce_bring(struct reducer *reducer, void *to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	reducer->n_brought_bytes += (int64_t)n_bytes;
	return reducer->session->runtime->read(reducer->session, to, from, n_bytes, err);
}

/* Adds n_bytes of contiguous elements. */
static int add_contiguous(struct reduction_state *state, int64_t n_bytes, struct err *err)
{
	struct reducer *reducer = state->reducer;
	const struct reduction *reduction = state->reduction;
	int64_t n_vectors = n_bytes / REDUCE_VECTOR_BYTES,
		n_whole = n_vectors * REDUCE_VECTOR_BYTES;
	unsigned char result[REDUCE_MAX_RESULT_BYTES], rest[REDUCE_VECTOR_BYTES];
	struct device_pointer at;
	int64_t offset;

	if (n_vectors) {
		if (grow(reducer, &reducer->scratch, &reducer->scratch_bytes,
			    reduce_scratch_bytes(reduction, n_vectors), err) ||
			reduce_launches(reduction, n_vectors, run_level, state, &offset, err))
			return -1;
		at = reducer->scratch;
		at.address += (uint64_t)offset;
		if (reduce_bring(reducer, result, at, reduce_result_bytes(reduction), err))
			return -1;
		reduce_add_result(state->reduced, reduction, result, n_vectors);
	}
	if (n_bytes == n_whole)
		return 0;
	at = state->data;
	at.address += (uint64_t)n_whole;
	if (reduce_bring(reducer, rest, at, (size_t)(n_bytes - n_whole), err))
		return -1;
	reduce_bytes(state->reduced, reduction, rest, n_bytes - n_whole, n_whole);
	return 0;
}

/* Packs the block into contiguous memory of the session. */
static int pack(struct reduction_state *state, const struct array *block, struct err *err)
{
	struct reducer *reducer = state->reducer;
	struct device_launch launch = { 0 };
	struct array dense = *block;
	struct copy_plan plan;

	if (state->reduction->kind != REDUCE_CRC)
		dense.dtype.foreign_order = false;
	dense.pointer = 0;
	array_set_compact_strides(&dense, 'C');
	if (grow(reducer, &reducer->packed, &reducer->packed_bytes, array_nbytes(block), err) ||
		plan_make(&plan, block, &dense, err) ||
		reducer->session->runtime->copy_strided(reducer->session, &plan, reducer->packed,
			memory_location_pointer(state->location, block->pointer), &launch, err))
		return -1;
	reducer->n_launches += launch.n_launches;
	state->data = reducer->packed;
	return 0;
}

static int reduce_add_block(void *context, const struct array *block, struct err *err)
{
	struct reduction_state *state = context;
	struct reducer *reducer = state->reducer;

	state->data = memory_location_pointer(state->location, block->pointer);
	if (!state->in_place && pack(state, block, err))
		return -1;
	if (add_contiguous(state, array_nbytes(block), err))
		return -1;
	state->n_done += array_nbytes(block);
	if (reducer->progress)
		reducer->progress(reducer->context, state->n_done);
	return 0;
}

int reducer_add(struct reducer *reducer, struct reduced *reduced, const struct reduction *reduction,
	const struct transfer_end *from, struct err *err)
{
	struct reduction_state state = { .reducer = reducer,
		.reduced = reduced,
		.reduction = reduction,
		.location = from->location };
	int64_t item_bytes = dtype_itemsize(&from->array->dtype), unit;
	struct array flat = *from->array;

	/* A handle's memory may begin anywhere. */
	state.in_place = array_is_c_contiguous(&flat) && !from->location->handle &&
			 flat.pointer % REDUCE_VECTOR_BYTES == 0 &&
			 (!flat.dtype.foreign_order || reduction->kind == REDUCE_CRC);
	if (!state.in_place)
		return blocks_visit(
			from->array, 'C', reducer_block_bytes, reduce_add_block, &state, err);
	flat.n_dims = 1;
	flat.shape[0] = array_elements(from->array);
	flat.stride_bytes[0] = item_bytes;
	unit = item_bytes * REDUCE_VECTOR_BYTES; /* keeps every block aligned */
	return blocks_visit(&flat, 'C', unit < IN_PLACE_BYTES ? IN_PLACE_BYTES / unit * unit : unit,
		reduce_add_block, &state, err);
}

void reducer_free(struct reducer *reducer)
{
	if (reducer->packed_bytes)
		reducer->session->runtime->release(reducer->session, reducer->packed);
	if (reducer->scratch_bytes)
		reducer->session->runtime->release(reducer->session, reducer->scratch);
	reducer->packed_bytes = reducer->scratch_bytes = 0;
}
