// SPDX-License-Identifier: MIT
/* NumPy's functions that convert objects to arrays. Programs call them more often than any others:
 * what is no exchange jumps to the function itself. The conversion of a list that begins with a
 * number or a string is not observed, until NumPy reads memory of another library during such a
 * call. */
#ifndef TRACE_CONVERSIONS_H
#define TRACE_CONVERSIONS_H

#include "trace/hidden.h"
#include "trace/passed.h"
#include "trace/wrapping.h"

#include <stddef.h>

/* The functions, once they are prepared. */
extern TRACE_HIDDEN struct trace_known_consumer trace_numpy_functions[];
extern TRACE_HIDDEN const size_t trace_n_numpy_functions;

/* Chooses their wrappers by the interpreter, once. Call with the GIL, once the layout of objects is
 * known. */
void trace_conversions_prepare(void);

/* Before an exchange is noted: whether it may be that of a list whose conversion is not observed.
 * Call with the lock. */
void trace_conversions_note(const struct trace_passed *passed);

/* After the note of a buffer that a library requested, or of an attribute that it read: counts the
 * copy if NumPy converts a list whose conversion is not observed. Call with the GIL and without the
 * lock. */
void trace_conversions_settle(const struct trace_passed *passed);

#endif
