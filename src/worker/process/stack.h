// SPDX-License-Identifier: MIT
/* The Python stack of a worker that crashes, is aborted or calls os._exit(). */
#ifndef WORKER_PROCESS_STACK_H
#define WORKER_PROCESS_STACK_H

/*
 * Enables faulthandler, which writes to a descriptor: it is opened only as the process ends, so
 * that a script sees no descriptor but its own. A script that enables faulthandler itself decides
 * where it writes.
 */
void stack_trace_ends(void);

/* Like stack_trace_ends(), but calls end(number) in the thread of a fatal signal after the stack
 * was written. */
void stack_trace_before(void (*end)(int number));

#endif
