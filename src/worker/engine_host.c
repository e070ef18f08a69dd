// SPDX-License-Identifier: MIT
/* The host engine: the processor's own loops over memory that it reaches. */
#include "worker/convert.h"

#include "copy/host_copy.h"

static bool reaches(const struct source *source)
{
	return source->host_reaches;
}

static int copy(const struct source *source, const struct array *part, const struct array *to,
	struct err *err)
{
	struct copy_plan plan;

	(void)source;
	if (plan_make(&plan, part, to, err))
		return -1;
	WITHOUT_GIL(host_copy(
		&plan, (const void *)(uintptr_t)part->pointer, (void *)(uintptr_t)to->pointer));
	return 0;
}

extern const struct engine host_engine;

const struct engine host_engine = {
	.name = "host",
	.path = "host",
	.reaches = reaches,
	.copy = copy,
};
