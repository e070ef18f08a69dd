// SPDX-License-Identifier: MIT
/* Chooses the strategy of a copy and executes it. */
#include "devices/transfer.h"

#include "copy/blocks.h"
#include "copy/host/host_copy.h"
#include "devices/mapping.h"
#include "model/runtimes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 128 << 20,
	/* If a block spans more than this multiple of its own bytes, the whole source is fetched at
	 * once. */
	SPARSE = 4,
};

int64_t transfer_block_bytes = 64 << 20;

enum strategy { STRATEGY_HOST, STRATEGY_MOVE, STRATEGY_KERNEL, STRATEGY_BLOCKS };

/* Records the path and the engine: the runtime of session, or the host if that is NULL. */
static void transfer_report(
	struct transfer *transfer, enum copy_path path, const struct device_session *session)
{
	transfer->path = path;
	transfer->engine = session ? session->runtime->name : RUNTIME_HOST;
}

/* Records why the preferred strategy was not used, each reason once. */
static void transfer_report_fallback(struct transfer *transfer, const char *message)
{
	size_t n = strlen(transfer->fallback);

	if (!strstr(transfer->fallback, message))
		snprintf(transfer->fallback + n, sizeof(transfer->fallback) - n, "%s%s",
			n ? "; " : "", message);
}

/* --- through blocks of host memory --- */

/*
 * Each block is packed by the source's device (with a kernel, or by the host if it can access the
 * source), transferred to the host, and written to the destination.
 */
struct staged_copy {
	struct transfer *transfer;
	const struct memory_location *from, *to;
	enum transfer_engine wanted;
	struct array source, target;  /* dimensions in the order that makes target C-contiguous */
	struct device_pointer packed; /* a block on the source's device */
	bool has_packed, no_kernel;
	char *block;   /* a block on the host, if the host cannot access the destination */
	char *covered; /* the memory that the source, or the block, spans */
	uint64_t covered_low, covered_high;
	int64_t block_bytes; /* transfer_block_bytes, or the size of one element if that is larger
			      */
	int64_t n_done;      /* bytes */
};

/* Sorts the dimensions of both by the strides of target, the largest first. */
static void sort_dimensions(struct staged_copy *copy)
{
	struct array *source = &copy->source, *target = &copy->target;

	for (int i = 1; i < target->n_dims; i++)
		for (int j = i; j > 0 && target->shape[j] > 1 &&
				(target->shape[j - 1] <= 1 ||
					target->stride_bytes[j - 1] < target->stride_bytes[j]);
			j--) {
			struct array source_was = *source, target_was = *target;

			source->shape[j] = target->shape[j] = target_was.shape[j - 1];
			source->shape[j - 1] = target->shape[j - 1] = target_was.shape[j];
			source->stride_bytes[j] = source_was.stride_bytes[j - 1];
			source->stride_bytes[j - 1] = source_was.stride_bytes[j];
			target->stride_bytes[j] = target_was.stride_bytes[j - 1];
			target->stride_bytes[j - 1] = target_was.stride_bytes[j];
		}
}

static int read_location(
	struct staged_copy *copy, void *to, uint64_t address, uint64_t n_bytes, struct err *err)
{
	struct device_session *session = copy->from->session;

	copy->transfer->n_brought_bytes += (int64_t)n_bytes;
	return session->runtime->read(
		session, to, memory_location_pointer(copy->from, address), n_bytes, err);
}

/* Packs a block with a kernel and transfers it to the host. *refused: no kernel is available. */
static int fetch_packed(struct staged_copy *copy, const struct copy_plan *plan,
	const struct array *block, void *bytes, bool *refused, struct err *err)
{
	struct device_session *session = copy->from->session;
	const struct device_runtime *runtime = session->runtime;
	struct device_launch *launch = &copy->transfer->launch, last = { 0 };
	int64_t n_bytes = array_nbytes(block);

	if (!copy->has_packed && runtime->allocate(session, runtime->device_kind,
					 (size_t)copy->block_bytes, &copy->packed, err))
		return -1;
	copy->has_packed = true;
	if (runtime->copy_strided(session, plan, copy->packed,
		    memory_location_pointer(copy->from, block->pointer), &last, err)) {
		*refused = err->code == EXIT_UNAVAILABLE;
		return -1;
	}
	last.n_launches += launch->n_launches;
	*launch = last;
	transfer_report(copy->transfer, PATH_KERNEL, session);
	copy->transfer->n_brought_bytes += n_bytes;
	return runtime->read(session, bytes, copy->packed, (size_t)n_bytes, err);
}

/*
 * Transfers the memory that the block spans to the host; that of the whole source if blocks are
 * scattered.
 */
static int fetch_covered(struct staged_copy *copy, const struct array *block, struct err *err)
{
	uint64_t low, high;

	if (array_extent(block, &low, &high, err))
		return -1;
	if (copy->covered && low >= copy->covered_low && high <= copy->covered_high)
		return 0;
	if (high - low > SPARSE * (uint64_t)array_nbytes(block) &&
		array_extent(&copy->source, &low, &high, err))
		return -1;
	free(copy->covered);
	copy->covered = malloc(high - low);
	copy->covered_low = low;
	copy->covered_high = high;
	if (!copy->covered)
		return err_set(err, EXIT_TARGET, "cannot allocate %llu bytes on the host",
			(unsigned long long)(high - low));
	return read_location(copy, copy->covered, low, high - low, err);
}

static int fetch_sorted(struct staged_copy *copy, const struct copy_plan *plan,
	const struct array *block, void *bytes, struct err *err)
{
	if (fetch_covered(copy, block, err))
		return -1;
	host_copy(plan, copy->covered + (block->pointer - copy->covered_low), bytes);
	return 0;
}

/* Fetches the block, contiguous, into bytes on the host. */
static int transfer_blocks_fetch(
	struct staged_copy *copy, const struct array *block, void *bytes, struct err *err)
{
	struct array dense = *block;
	bool refused = false, only_kernels = copy->wanted == TRANSFER_KERNEL;
	struct copy_plan plan;
	int rc;

	dense.dtype = copy->target.dtype;
	dense.pointer = (uint64_t)(uintptr_t)bytes;
	array_set_compact_strides(&dense, 'C');
	if (plan_make(&plan, block, &dense, err))
		return -1;
	if (copy->from->host_reaches && !only_kernels) {
		host_copy(&plan, (const void *)(uintptr_t)block->pointer, bytes);
		return 0;
	}
	if (plan.kind == COPY_MEMCPY && !only_kernels)
		return read_location(
			copy, bytes, block->pointer, (uint64_t)array_nbytes(block), err);
	if (copy->wanted != TRANSFER_HOST && !copy->no_kernel) {
		rc = fetch_packed(copy, &plan, block, bytes, &refused, err);
		if (!refused || only_kernels)
			return rc;
		copy->no_kernel = true;
		transfer_report_fallback(copy->transfer, err->message);
		transfer_report(copy->transfer, PATH_MEMCPY, copy->from->session);
	}
	return fetch_sorted(copy, &plan, block, bytes, err);
}

static int pass_block(void *context, const struct array *block, struct err *err)
{
	struct staged_copy *copy = context;
	uint64_t address = copy->target.pointer + (uint64_t)copy->n_done;
	struct device_session *session = copy->to->session;
	size_t n_bytes = (size_t)array_nbytes(block);
	void *bytes = copy->to->host_reaches ? (void *)(uintptr_t)address : copy->block;

	if (transfer_blocks_fetch(copy, block, bytes, err))
		return -1;
	if (!copy->to->host_reaches &&
		session->runtime->write(
			session, memory_location_pointer(copy->to, address), bytes, n_bytes, err))
		return -1;
	copy->n_done += (int64_t)n_bytes;
	if (copy->transfer->progress)
		copy->transfer->progress(copy->transfer->context, copy->n_done);
	return 0;
}

/* Copies between ends that no single copy can access; with wanted TRANSFER_HOST without kernels. */
static int transfer_by_blocks(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	struct staged_copy copy = { .transfer = transfer,
		.from = from->location,
		.to = to->location,
		.wanted = wanted,
		.source = *from->array,
		.target = *to->array };
	int64_t n_bytes = array_nbytes(to->array), item_bytes = dtype_itemsize(&to->array->dtype);
	int rc;

	copy.block_bytes = item_bytes > transfer_block_bytes ? item_bytes : transfer_block_bytes;
	if (n_bytes < copy.block_bytes)
		copy.block_bytes = n_bytes;
	transfer_report(transfer, PATH_MEMCPY,
		from->location->host_reaches ? to->location->session : from->location->session);
	sort_dimensions(&copy);
	if (!to->location->host_reaches) {
		copy.block = malloc((size_t)copy.block_bytes);
		if (!copy.block)
			return err_set(err, EXIT_BUG, "cannot allocate %lld bytes on the host",
				(long long)copy.block_bytes);
	}
	rc = blocks_visit(&copy.source, 'C', transfer_block_bytes, pass_block, &copy, err);
	if (copy.has_packed)
		from->location->session->runtime->release(from->location->session, copy.packed);
	free(copy.block);
	free(copy.covered);
	return rc;
}

/* --- the strategies --- */

/*
 * If progress is reported, a long copy is split along the dimension with the largest stride of
 * the destination.
 */
static int copy_on_host(struct transfer *transfer, const struct copy_plan *plan,
	const struct array *from, const struct array *to, struct err *err)
{
	struct array source = *from, target = *to;
	int64_t n_bytes = array_nbytes(to), n_pieces = n_bytes / PIECE_BYTES, n, n_done = 0;
	struct copy_plan part;
	int widest = -1;

	for (int i = 0; i < to->n_dims; i++)
		if (to->shape[i] > 1 &&
			(widest < 0 || to->stride_bytes[i] > to->stride_bytes[widest]))
			widest = i;
	if (!transfer->progress || n_pieces < 2 || widest < 0) {
		host_copy(plan, (const void *)(uintptr_t)from->pointer,
			(void *)(uintptr_t)to->pointer);
		return 0;
	}
	n = to->shape[widest] / n_pieces;
	n = n ? n : 1;
	for (int64_t at = 0; at < to->shape[widest]; at += n) {
		if (n > to->shape[widest] - at)
			n = to->shape[widest] - at;
		source.shape[widest] = target.shape[widest] = n;
		source.pointer = from->pointer + (uint64_t)(at * from->stride_bytes[widest]);
		target.pointer = to->pointer + (uint64_t)(at * to->stride_bytes[widest]);
		if (plan_make(&part, &source, &target, err))
			return -1;
		host_copy(&part, (const void *)(uintptr_t)source.pointer,
			(void *)(uintptr_t)target.pointer);
		n_done += array_nbytes(&target);
		transfer->progress(transfer->context, n_done);
	}
	return 0;
}

static enum strategy choose_strategy(const struct copy_plan *plan,
	const struct memory_location *from, const struct memory_location *to,
	enum transfer_engine wanted)
{
	if (from->host_reaches && to->host_reaches && wanted != TRANSFER_KERNEL)
		return STRATEGY_HOST;
	if (!from->session || from->session != to->session)
		return STRATEGY_BLOCKS;
	if (plan->kind == COPY_MEMCPY && wanted != TRANSFER_KERNEL)
		return STRATEGY_MOVE;
	return wanted == TRANSFER_HOST ? STRATEGY_BLOCKS : STRATEGY_KERNEL;
}

static int transfer_prepare(struct copy_plan *plan, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	if (wanted == TRANSFER_KERNEL && !from->location->session) {
		err_set(err, EXIT_UNAVAILABLE,
			"--engine kernel: the source is host memory, which kernels cannot access; "
			"use --engine auto");
		return -1;
	}
	return plan_make(plan, from->array, to->array, err);
}

static void predict(struct transfer *transfer, enum strategy strategy, const struct copy_plan *plan,
	const struct transfer_end *from, const struct transfer_end *to, enum transfer_engine wanted)
{
	bool packs = !from->location->host_reaches && plan->kind != COPY_MEMCPY;

	if (strategy == STRATEGY_HOST)
		transfer_report(transfer, PATH_HOST, NULL);
	else if (strategy == STRATEGY_KERNEL || wanted == TRANSFER_KERNEL ||
		 (strategy == STRATEGY_BLOCKS && packs && wanted == TRANSFER_AUTO))
		transfer_report(transfer, PATH_KERNEL, from->location->session);
	else
		transfer_report(transfer, PATH_MEMCPY,
			from->location->host_reaches ? to->location->session
						     : from->location->session);
}

/* The location of memory while it is mapped. */
static struct memory_location as_mapped(const struct memory_location *location)
{
	return mapping_reaches(location) ? (struct memory_location){ .host_reaches = true,
		.session = location->session }
					 : *location;
}

int transfer_predict(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	const struct memory_location from_location = as_mapped(from->location),
				     to_location = as_mapped(to->location);
	const struct transfer_end source = { from->array, &from_location };
	const struct transfer_end target = { to->array, &to_location };
	struct copy_plan plan = { 0 };

	if (transfer_prepare(&plan, &source, &target, wanted, err))
		return -1;
	predict(transfer, choose_strategy(&plan, &from_location, &to_location, wanted), &plan,
		&source, &target, wanted);
	return 0;
}

/* Runs a kernel within one session; *refused: none is available, and nothing was written. */
static int run_kernel(struct transfer *transfer, const struct copy_plan *plan,
	const struct transfer_end *from, const struct transfer_end *to, bool *refused,
	struct err *err)
{
	struct device_session *session = from->location->session;
	int rc = session->runtime->copy_strided(session, plan,
		memory_location_pointer(to->location, to->array->pointer),
		memory_location_pointer(from->location, from->array->pointer), &transfer->launch,
		err);

	*refused = rc && err->code == EXIT_UNAVAILABLE;
	if (*refused)
		transfer_report_fallback(transfer, err->message);
	return rc;
}

static int run(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	struct device_session *session = from->location->session;
	struct copy_plan plan = { 0 };
	bool refused = false;
	enum strategy strategy;
	int rc;

	if (transfer_prepare(&plan, from, to, wanted, err))
		return -1;
	strategy = choose_strategy(&plan, from->location, to->location, wanted);
	predict(transfer, strategy, &plan, from, to, wanted);
	if (plan.empty)
		return 0;
	switch (strategy) {
	case STRATEGY_HOST:
		return copy_on_host(transfer, &plan, from->array, to->array, err);
	case STRATEGY_MOVE:
		return session->runtime->move(session,
			memory_location_pointer(to->location, to->array->pointer),
			memory_location_pointer(from->location, from->array->pointer),
			(size_t)array_nbytes(from->array), err);
	case STRATEGY_KERNEL:
		rc = run_kernel(transfer, &plan, from, to, &refused, err);
		if (!refused || wanted == TRANSFER_KERNEL)
			return rc;
		break;
	default:
		break;
	}
	return transfer_by_blocks(transfer, from, to, refused ? TRANSFER_HOST : wanted, err);
}

int transfer_run(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	struct mapping pair[2];
	struct err ignored;
	int rc;

	if (mapping_open_pair(pair, from, to, wanted, err)) {
		transfer->is_map_refused = true;
		transfer_report_fallback(transfer, err->message);
		return run(transfer, from, to, wanted, err);
	}
	rc = run(transfer, &pair[0].end, &pair[1].end, wanted, err);
	return mapping_close_pair(pair, rc ? &ignored : err) ? -1 : rc;
}
