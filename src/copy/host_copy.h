// SPDX-License-Identifier: MIT
/* The host engine: a plan carried out by the processor over memory that it can reach. */
#ifndef COPY_HOST_COPY_H
#define COPY_HOST_COPY_H

#include "copy/plan.h"

/*
 * Copies by the plan. src and dst are the addresses of element 0,0,... of both sides; the caller
 * knows that every address the plan reaches is readable or writable, and that both do not overlap.
 */
void host_copy(const struct copy_plan *plan, const void *src, void *dst);

#endif
