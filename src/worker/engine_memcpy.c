// SPDX-License-Identifier: MIT
/*
 * The runtime's own copy brings what the elements cover to the host, and the host's loops sort it:
 * for memory that the processor does not reach.
 */
#include "worker/convert.h"

#include "copy/host_copy.h"

#include <stdlib.h>

static bool reaches(const struct source *source)
{
	return source->place != NULL;
}

/* Both sides are the same bytes in the same order. */
static bool is_dense(const struct copy_plan *plan)
{
	const struct copy_loop *loop = &plan->loops[0];

	return !plan->swap_bytes &&
	       (plan->n_loops == 0 ||
		       (plan->n_loops == 1 && loop->src_stride_bytes == plan->item_bytes &&
			       loop->dst_stride_bytes == plan->item_bytes));
}

static int fetch(
	const struct source *source, void *to, uint64_t from, uint64_t n_bytes, struct err *err)
{
	struct device_place *place = source->place;
	int rc;

	WITHOUT_GIL(
		rc = place->runtime->copy(place, to, (const void *)(uintptr_t)from, n_bytes, err));
	return rc;
}

static int copy(const struct source *source, const struct array *part, const struct array *to,
	struct err *err)
{
	void *dst = (void *)(uintptr_t)to->pointer;
	struct copy_plan plan;
	uint64_t low, high;
	char *staging;
	int rc = -1;

	if (plan_make(&plan, part, to, err) || array_extent(part, &low, &high, err))
		return -1;
	if (plan.empty)
		return 0;
	if (is_dense(&plan))
		return fetch(source, dst, low, high - low, err);
	staging = malloc(high - low);
	if (!staging)
		return err_set(err, EXIT_TARGET, "no memory for %llu bytes on the host",
			(unsigned long long)(high - low));
	if (!fetch(source, staging, low, high - low, err)) {
		WITHOUT_GIL(host_copy(&plan, staging + (part->pointer - low), dst));
		rc = 0;
	}
	free(staging);
	return rc;
}

extern const struct engine memcpy_engine;

const struct engine memcpy_engine = {
	.path = "memcpy",
	.reaches = reaches,
	.copy = copy,
};
