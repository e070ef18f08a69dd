// SPDX-License-Identifier: MIT
/*
 * Chooses the strategy of a copy and executes it; transfer_blocks.c is the one between two
 * sessions.
 */
#include "devices/transfer.h"

#include "copy/host/host_copy.h"
#include "devices/mapping.h"
#include "devices/transfer_blocks.h"

#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 128 << 20 };

enum strategy { STRATEGY_HOST, STRATEGY_MOVE, STRATEGY_KERNEL, STRATEGY_BLOCKS };

struct device_pointer transfer_pointer(const struct memory_location *location, uint64_t address)
{
	return (struct device_pointer){ .handle = location->handle, .address = address };
}

void transfer_report(
	struct transfer *transfer, enum copy_path path, const struct device_session *session)
{
	transfer->path = path;
	transfer->engine = session ? session->runtime->name : "host";
}

void transfer_report_fallback(struct transfer *transfer, const char *message)
{
	size_t n = strlen(transfer->fallback);

	if (!strstr(transfer->fallback, message))
		snprintf(transfer->fallback + n, sizeof(transfer->fallback) - n, "%s%s",
			n ? "; " : "", message);
}

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
		transfer_pointer(to->location, to->array->pointer),
		transfer_pointer(from->location, from->array->pointer), &transfer->launch, err);

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
			transfer_pointer(to->location, to->array->pointer),
			transfer_pointer(from->location, from->array->pointer),
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
