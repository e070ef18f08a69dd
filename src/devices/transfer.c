// SPDX-License-Identifier: MIT
/* Chooses the way of a copy and goes it; transfer_blocks.c is the way between two places. */
#include "devices/transfer.h"

#include "copy/host_copy.h"
#include "devices/transfer_blocks.h"

#include <stdio.h>
#include <string.h>

enum way { WAY_HOST, WAY_MOVE, WAY_KERNEL, WAY_BLOCKS };

bool transfer_is_dense(const struct copy_plan *plan)
{
	const struct copy_loop *loop = &plan->loops[0];

	return !plan->swap_bytes &&
	       (plan->n_loops == 0 ||
		       (plan->n_loops == 1 && loop->src_stride_bytes == plan->item_bytes &&
			       loop->dst_stride_bytes == plan->item_bytes));
}

struct device_pointer transfer_pointer(const struct site *site, uint64_t address)
{
	return (struct device_pointer){ .handle = site->handle, .address = address };
}

void transfer_tell(struct transfer *transfer, const char *path, const struct device_place *place)
{
	transfer->path = path;
	transfer->engine = place ? place->runtime->name : "host";
}

static enum way choose(const struct copy_plan *plan, const struct site *from, const struct site *to,
	enum transfer_engine wanted)
{
	if (from->host_reaches && to->host_reaches && wanted != TRANSFER_KERNEL)
		return WAY_HOST;
	if (!from->place || from->place != to->place)
		return WAY_BLOCKS;
	if (transfer_is_dense(plan) && wanted != TRANSFER_KERNEL)
		return WAY_MOVE;
	return wanted == TRANSFER_HOST ? WAY_BLOCKS : WAY_KERNEL;
}

static int prepare(struct copy_plan *plan, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	if (wanted == TRANSFER_KERNEL && !from->site->place)
		return err_set(err, EXIT_UNAVAILABLE,
			"no kernel reaches the source: it is host memory, on no device; --engine "
			"auto copies it");
	return plan_make(plan, from->array, to->array, err);
}

static void predict(struct transfer *transfer, enum way way, const struct copy_plan *plan,
	const struct transfer_end *from, const struct transfer_end *to, enum transfer_engine wanted)
{
	bool packs = !from->site->host_reaches && !transfer_is_dense(plan);

	if (way == WAY_HOST)
		transfer_tell(transfer, "host", NULL);
	else if (way == WAY_KERNEL || wanted == TRANSFER_KERNEL ||
		 (way == WAY_BLOCKS && packs && wanted == TRANSFER_AUTO))
		transfer_tell(transfer, "kernel", from->site->place);
	else
		transfer_tell(transfer, "memcpy",
			from->site->host_reaches ? to->site->place : from->site->place);
}

int transfer_predict(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	struct copy_plan plan;

	if (prepare(&plan, from, to, wanted, err))
		return -1;
	predict(transfer, choose(&plan, from->site, to->site, wanted), &plan, from, to, wanted);
	return 0;
}

/* A kernel within one place; *refused where there is none, and nothing was written. */
static int run_kernel(struct transfer *transfer, const struct copy_plan *plan,
	const struct transfer_end *from, const struct transfer_end *to, bool *refused,
	struct err *err)
{
	struct device_place *place = from->site->place;
	int rc = place->runtime->copy_strided(place, plan,
		transfer_pointer(to->site, to->array->pointer),
		transfer_pointer(from->site, from->array->pointer), &transfer->launch, err);

	*refused = rc && err->code == EXIT_UNAVAILABLE;
	if (*refused)
		snprintf(transfer->fallback, sizeof(transfer->fallback), "%.199s", err->message);
	return rc;
}

int transfer_run(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	struct device_place *place = from->site->place;
	struct copy_plan plan;
	bool refused = false;
	enum way way;
	int rc;

	if (prepare(&plan, from, to, wanted, err))
		return -1;
	way = choose(&plan, from->site, to->site, wanted);
	predict(transfer, way, &plan, from, to, wanted);
	if (plan.empty)
		return 0;
	switch (way) {
	case WAY_HOST:
		host_copy(&plan, (const void *)(uintptr_t)from->array->pointer,
			(void *)(uintptr_t)to->array->pointer);
		return 0;
	case WAY_MOVE:
		return place->runtime->move(place, transfer_pointer(to->site, to->array->pointer),
			transfer_pointer(from->site, from->array->pointer),
			(size_t)array_nbytes(from->array), err);
	case WAY_KERNEL:
		rc = run_kernel(transfer, &plan, from, to, &refused, err);
		if (!refused || wanted == TRANSFER_KERNEL)
			return rc;
		break;
	default:
		break;
	}
	return transfer_by_blocks(transfer, from, to, refused ? TRANSFER_HOST : wanted, err);
}
