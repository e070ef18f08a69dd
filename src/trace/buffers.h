// SPDX-License-Identifier: MIT
/* Buffers that a library requests from an object of another one. Calls within the interpreter, such
 * as those of memoryview(), are not seen. */
#ifndef TRACE_BUFFERS_H
#define TRACE_BUFFERS_H

#include "trace/python.h"

void trace_release_buffer(struct trace_py_buffer *view);
int trace_get_buffer(void *object, struct trace_py_buffer *view, int flags);

/* Replaces PyMemoryView_FromObject(), in which the interpreter requests the buffer for the
 * caller. */
void *trace_memoryview_from(void *object);

#endif
