// SPDX-License-Identifier: MIT
/*
 * Between two sessions, block after block: each is made dense by the source's device (a kernel, or
 * the host's loops where they reach it), brought to the host, and written to the destination.
 */
#include "devices/transfer_blocks.h"

#include "copy/blocks.h"
#include "copy/host/host_copy.h"

#include <stdlib.h>

/* A block that covers more than so many times its own bytes: the whole source is fetched once. */
enum { SPARSE = 4 };

int64_t transfer_block_bytes = 64 << 20;

struct passage {
	struct transfer *transfer;
	const struct memory_location *from, *to;
	enum transfer_engine wanted;
	struct array source, target;  /* dimensions in the order that makes target C-contiguous */
	struct device_pointer packed; /* a block on the source's device */
	bool has_packed, no_kernel;
	char *block;   /* a block on the host, where the destination is not in reach */
	char *covered; /* all that the source, or the block, covers */
	uint64_t covered_low, covered_high;
	int64_t block_bytes; /* transfer_block_bytes, or one element where that is more */
	int64_t n_done;      /* bytes */
};

/* Sorts the dimensions of both by the steps of target, the widest first. */
static void sort_dimensions(struct passage *passage)
{
	struct array *source = &passage->source, *target = &passage->target;

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
	struct passage *passage, void *to, uint64_t address, uint64_t n_bytes, struct err *err)
{
	struct device_session *session = passage->from->session;

	passage->transfer->n_brought_bytes += (int64_t)n_bytes;
	return session->runtime->read(
		session, to, transfer_pointer(passage->from, address), n_bytes, err);
}

/* Packs a block with a kernel and brings it to the host. *refused: there is no kernel. */
static int fetch_packed(struct passage *passage, const struct copy_plan *plan,
	const struct array *block, void *bytes, bool *refused, struct err *err)
{
	struct device_session *session = passage->from->session;
	const struct device_runtime *runtime = session->runtime;
	struct device_launch *launch = &passage->transfer->launch, last = { 0 };
	int64_t n_bytes = array_nbytes(block);

	if (!passage->has_packed && runtime->allocate(session, runtime->device_kind,
					    (size_t)passage->block_bytes, &passage->packed, err))
		return -1;
	passage->has_packed = true;
	if (runtime->copy_strided(session, plan, passage->packed,
		    transfer_pointer(passage->from, block->pointer), &last, err)) {
		*refused = err->code == EXIT_UNAVAILABLE;
		return -1;
	}
	last.n_launches += launch->n_launches;
	*launch = last;
	transfer_tell(passage->transfer, PATH_KERNEL, session);
	passage->transfer->n_brought_bytes += n_bytes;
	return runtime->read(session, bytes, passage->packed, (size_t)n_bytes, err);
}

/* Brings what the block covers to the host, all of the source at once where blocks lie scattered.
 */
static int fetch_covered(struct passage *passage, const struct array *block, struct err *err)
{
	uint64_t low, high;

	if (array_extent(block, &low, &high, err))
		return -1;
	if (passage->covered && low >= passage->covered_low && high <= passage->covered_high)
		return 0;
	if (high - low > SPARSE * (uint64_t)array_nbytes(block) &&
		array_extent(&passage->source, &low, &high, err))
		return -1;
	free(passage->covered);
	passage->covered = malloc(high - low);
	passage->covered_low = low;
	passage->covered_high = high;
	if (!passage->covered)
		return err_set(err, EXIT_TARGET, "no memory for %llu bytes on the host",
			(unsigned long long)(high - low));
	return read_location(passage, passage->covered, low, high - low, err);
}

static int fetch_sorted(struct passage *passage, const struct copy_plan *plan,
	const struct array *block, void *bytes, struct err *err)
{
	if (fetch_covered(passage, block, err))
		return -1;
	host_copy(plan, passage->covered + (block->pointer - passage->covered_low), bytes);
	return 0;
}

/* The block, dense, in bytes on the host. */
static int transfer_blocks_fetch(
	struct passage *passage, const struct array *block, void *bytes, struct err *err)
{
	struct array dense = *block;
	bool refused = false, only_kernels = passage->wanted == TRANSFER_KERNEL;
	struct copy_plan plan;
	int rc;

	dense.dtype = passage->target.dtype;
	dense.pointer = (uint64_t)(uintptr_t)bytes;
	array_set_compact_strides(&dense, 'C');
	if (plan_make(&plan, block, &dense, err))
		return -1;
	if (passage->from->host_reaches && !only_kernels) {
		host_copy(&plan, (const void *)(uintptr_t)block->pointer, bytes);
		return 0;
	}
	if (plan.kind == COPY_MEMCPY && !only_kernels)
		return read_location(
			passage, bytes, block->pointer, (uint64_t)array_nbytes(block), err);
	if (passage->wanted != TRANSFER_HOST && !passage->no_kernel) {
		rc = fetch_packed(passage, &plan, block, bytes, &refused, err);
		if (!refused || only_kernels)
			return rc;
		passage->no_kernel = true;
		transfer_tell_fallback(passage->transfer, err->message);
		transfer_tell(passage->transfer, PATH_MEMCPY, passage->from->session);
	}
	return fetch_sorted(passage, &plan, block, bytes, err);
}

static int pass_block(void *context, const struct array *block, struct err *err)
{
	struct passage *passage = context;
	uint64_t address = passage->target.pointer + (uint64_t)passage->n_done;
	struct device_session *session = passage->to->session;
	size_t n_bytes = (size_t)array_nbytes(block);
	void *bytes = passage->to->host_reaches ? (void *)(uintptr_t)address : passage->block;

	if (transfer_blocks_fetch(passage, block, bytes, err))
		return -1;
	if (!passage->to->host_reaches &&
		session->runtime->write(
			session, transfer_pointer(passage->to, address), bytes, n_bytes, err))
		return -1;
	passage->n_done += (int64_t)n_bytes;
	if (passage->transfer->progress)
		passage->transfer->progress(passage->transfer->context, passage->n_done);
	return 0;
}

int transfer_by_blocks(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	struct passage passage = { .transfer = transfer,
		.from = from->location,
		.to = to->location,
		.wanted = wanted,
		.source = *from->array,
		.target = *to->array };
	int64_t n_bytes = array_nbytes(to->array), item_bytes = dtype_itemsize(&to->array->dtype);
	int rc;

	passage.block_bytes = item_bytes > transfer_block_bytes ? item_bytes : transfer_block_bytes;
	if (n_bytes < passage.block_bytes)
		passage.block_bytes = n_bytes;
	transfer_tell(transfer, PATH_MEMCPY,
		from->location->host_reaches ? to->location->session : from->location->session);
	sort_dimensions(&passage);
	if (!to->location->host_reaches) {
		passage.block = malloc((size_t)passage.block_bytes);
		if (!passage.block)
			return err_set(err, EXIT_TARGET, "no memory for a block on the host");
	}
	rc = blocks_visit(&passage.source, 'C', transfer_block_bytes, pass_block, &passage, err);
	if (passage.has_packed)
		from->location->session->runtime->release(from->location->session, passage.packed);
	free(passage.block);
	free(passage.covered);
	return rc;
}
