// SPDX-License-Identifier: MIT
/* Work that may crash a driver, in a thread that the rest of the process outlives. */
#ifndef WORKER_PROCESS_SURVIVE_H
#define WORKER_PROCESS_SURVIVE_H

#include <stdbool.h>

/*
 * Runs call(context), which needs the GIL, in another thread. False: a fatal signal, *number, came
 * there; the stack is written, and the thread is stopped for good with the locks that it holds, but
 * without the GIL. What these locks protect, such as a driver, may hang from now on, so that the
 * process must not finalize its interpreter.
 */
bool process_survives(void (*call)(void *context), void *context, int *number);

#endif
