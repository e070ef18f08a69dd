// SPDX-License-Identifier: MIT
/* Buffers that a library requests from objects of another library. Requests by the interpreter
 * itself, such as those of memoryview(), are not seen. */
#ifndef TRACE_BUFFERS_H
#define TRACE_BUFFERS_H

#include "trace/python.h"

int trace_get_buffer(void *object, struct trace_py_buffer *view, int flags);
void trace_release_buffer(struct trace_py_buffer *view);

/* The same for modules of the standard library. Most of their requests are for bytes objects,
 * which belong to the interpreter as well and are therefore not exchanges. */
int trace_get_buffer_in_python(void *object, struct trace_py_buffer *view, int flags);
void trace_release_buffer_in_python(struct trace_py_buffer *view);

/* Replaces PyMemoryView_FromObject(), which requests the buffer on behalf of its caller. */
void *trace_memoryview_from(void *object);

#endif
