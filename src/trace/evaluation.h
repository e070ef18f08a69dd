// SPDX-License-Identifier: MIT
/* Where the interpreter runs Python code on the native stack. */
#ifndef TRACE_EVALUATION_H
#define TRACE_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the interpreter describes the layout of its structs, as CPython does from 3.14 on. */
bool trace_evaluation_is_described(void);

/* Whether the native frames that run Python code can be recognized: not in versions of CPython that
 * are later than those whose description is known. */
bool trace_evaluation_is_known(void);

/* Where the state of this thread stores a pointer to the running frame of Python code, and the
 * offset of the code object in a frame; NULL: unknown, as before CPython 3.14, or the state may be
 * freed before the process ends. Call with the GIL. */
const char *const *trace_evaluation_frame(size_t *code_offset);

/* An address in the native frame of the function that runs the innermost Python code of this
 * thread; NULL: unknown, as before CPython 3.14. */
const char *trace_evaluation_place(void);

#endif
