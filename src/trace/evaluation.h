// SPDX-License-Identifier: MIT
/* Where the interpreter runs Python code on the native stack. */
#ifndef TRACE_EVALUATION_H
#define TRACE_EVALUATION_H

/* An address in the native frame of the function that runs the innermost Python code of this
 * thread; NULL: unknown, as before CPython 3.14. */
const char *trace_evaluation_place(void);

#endif
