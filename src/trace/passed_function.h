// SPDX-License-Identifier: MIT
/* Functions that one library calls for another one, or for the program, which passed them. */
#ifndef TRACE_PASSED_FUNCTION_H
#define TRACE_PASSED_FUNCTION_H

#include <stdint.h>

/* The package whose Python code calls a function of NumPy or, if that code received the function,
 * of the innermost code around that call that names it, such as code that passes numpy.array to
 * joblib.delayed(); TRACE_NONE: the program. native: the library whose compiled code calls it, if
 * the innermost Python code did not pass it to that, and TRACE_NONE if Python code calls it. The
 * function is only compared, and the name is interned; NULL: unknown. Call with the GIL and without
 * the lock. */
uint32_t trace_passed_function_package(const void *function, void *name, uint32_t native);

#endif
