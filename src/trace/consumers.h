// SPDX-License-Identifier: MIT
/* The functions of known consumers that are wrapped: those of JAX and PyTorch, one of NumPy, and
 * those of conversions.h. */
#ifndef TRACE_CONSUMERS_H
#define TRACE_CONSUMERS_H

#include "trace/hidden.h"

#include <stdbool.h>

extern TRACE_HIDDEN const void *trace_jax_array_type; /* NULL: not found */

/* Whether jax.numpy.array passes what it does not convert to lax.stage(), which copies it: from JAX
 * 0.10 on. Call with the GIL, during a call of that function. Clears errors. */
bool trace_jax_stages_arrays(void);

/* Wraps the functions of modules that were imported since the last call. Call with the GIL and
 * without the lock. */
void trace_consumers_update(void);

#endif
