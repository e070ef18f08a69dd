// SPDX-License-Identifier: MIT
/*
 * Calling a driver with a handle that may be anything: where it falls over the handle, that is an
 * answer and no signal. For calls that hold nothing yet when they first look at the handle.
 */
#ifndef OS_FAULT_H
#define OS_FAULT_H

#include <stdbool.h>

/* Runs call(context); false where it ended in SIGSEGV or SIGBUS of this thread. Not to be nested.
 * Faults of other threads go where they went before. */
bool fault_guard(void (*call)(void *context), void *context);

#endif
