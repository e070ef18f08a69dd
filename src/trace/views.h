// SPDX-License-Identifier: MIT
/* Views of buffers (Py_buffer) that are exchanges, until they are released. Call with the lock. */
#ifndef TRACE_VIEWS_H
#define TRACE_VIEWS_H

#include "trace/hidden.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A view that was passed as an exchange of a row; flags: of its tensor, such as TENSOR_OF_MODULE.
 */
void trace_view_acquired(
	const struct trace_py_buffer *view, uint32_t row, uint32_t event, uint32_t flags);

/* Whether there is any. Call without the lock. */
extern TRACE_HIDDEN _Atomic uint32_t trace_n_view_keys;

static inline bool trace_views_exist(void)
{
	return atomic_load_explicit(&trace_n_view_keys, memory_order_relaxed) != 0;
}

/* Whether there may be such a view. Call without the lock. */
bool trace_view_may_be_acquired(const struct trace_py_buffer *view);

/* A view that is about to be released; unknown ones are ignored. address: of the struct, of which
 * view may be a copy. caller: an address in the library that releases it; NULL: unknown. */
void trace_view_released(const struct trace_py_buffer *view, const struct trace_py_buffer *address,
	const void *caller);

/* In a forked child: its copies of views are recorded by its parent. */
void trace_views_fork(void);

#endif
