// SPDX-License-Identifier: MIT
/* Functions of compiled code that read the memory of arrays of NumPy by PyArray_DATA, which calls
 * nothing. Each array that such a function receives is an exchange, once it has succeeded. */
#ifndef TRACE_DIRECT_READERS_H
#define TRACE_DIRECT_READERS_H

#include "trace/hidden.h"
#include "trace/wrapping.h"

#include <stddef.h>
#include <stdint.h>

/* The functions, whose definitions are changed. */
extern TRACE_HIDDEN struct trace_known_consumer trace_direct_readers[];
extern TRACE_HIDDEN const size_t trace_n_direct_readers;

/* Returns what takes the place of the initialization of a module (PyInit_NAME) that has such
 * functions, which wraps them as soon as the module is complete: nothing may be observed between
 * its import and their first call. Otherwise returns the initialization itself. Call with the GIL
 * and without the lock. */
void *trace_direct_readers_replace(const char *symbol, void *initialization);

/* A call of one of them. */
struct trace_direct_call;

/* What is at an address was passed during the call, by a protocol or a function of NumPy's C API:
 * the array is not counted again. call: NULL: none is under way. */
void trace_direct_call_note(struct trace_direct_call *call, uint64_t address);

#endif
