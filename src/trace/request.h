// SPDX-License-Identifier: MIT
/* What the program requests from a library in the call in progress. */
#ifndef TRACE_REQUEST_H
#define TRACE_REQUEST_H

/* The argument dtype of the function of a library that the program's innermost frame calls, in a
 * new reference; NULL: the call states none, or it is unknown. Call with the GIL and without the
 * lock, and while no error is pending. */
void *trace_request_dtype(void);

#endif
