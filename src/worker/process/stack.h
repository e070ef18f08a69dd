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

/* The same, but after the stack of a fatal signal is written, end(number) is called in its thread.
 */
void stack_trace_before(void (*end)(int number));

#endif
