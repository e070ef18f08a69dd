// SPDX-License-Identifier: MIT
/* Buffers that a library requests from an object of another one. Calls within the interpreter, such
 * as those of memoryview(), are not seen. */
#ifndef TRACE_BUFFERS_H
#define TRACE_BUFFERS_H

#include "trace/python.h"

int trace_get_buffer(void *object, struct trace_py_buffer *view, int flags);
void trace_release_buffer(struct trace_py_buffer *view);

/* The same for modules of the standard library, most of which request the buffers of bytes: those
 * are the interpreter's as well. */
int trace_get_buffer_in_python(void *object, struct trace_py_buffer *view, int flags);
void trace_release_buffer_in_python(struct trace_py_buffer *view);

/* Replaces PyMemoryView_FromObject(), in which the interpreter requests the buffer for the
 * caller. */
void *trace_memoryview_from(void *object);

#endif
