// SPDX-License-Identifier: MIT
/* The lines of instructions. CPython searches for a line from the start of the code, so that a
 * module of n lines that all cause exchanges would take time proportional to the square of n. */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

/* The line that a frame of this code runs; 0 or less: unknown. Call with the GIL and without the
 * lock. */
int trace_lines_of_frame(void *frame, void *code);

#endif
