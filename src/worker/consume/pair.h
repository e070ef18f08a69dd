// SPDX-License-Identifier: MIT
/* One case of a pair: an array of one library, passed to a function of another one. */
#ifndef WORKER_CONSUME_PAIR_H
#define WORKER_CONSUME_PAIR_H

#include "worker/capture/capture.h"

/* Fills consumption and status of context->target. The case, the producer and the consumer are
 * those of the job's trial with the target's index. */
void pair_exchange(struct capture_context *context);

#endif
