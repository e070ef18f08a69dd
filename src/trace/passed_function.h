// SPDX-License-Identifier: MIT
/* Functions that one library calls for another one, or for the program, which passed them. */
#ifndef TRACE_PASSED_FUNCTION_H
#define TRACE_PASSED_FUNCTION_H

#include <stdint.h>

/* The package whose Python code calls a function of NumPy or, if that code received the function in
 * a variable, of the innermost code around that call that names it, such as code that passes
 * numpy.array to joblib.delayed(); TRACE_NONE: the program. The function is only compared, and
 * the name is interned; NULL: unknown. Call with the GIL and without the lock. */
uint32_t trace_passed_function_package(const void *function, void *name);

#endif
