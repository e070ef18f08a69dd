// SPDX-License-Identifier: MIT
/* Makes the stack that faulthandler writes of a worker readable. */
#ifndef SUPERVISOR_STACK_H
#define SUPERVISOR_STACK_H

#include "base/arena.h"

#include <stdbool.h>

/*
 * Restores characters that faulthandler escapes, names frames of own_file `<suai>`, and omits what
 * differs from run to run or is of no use: their callers, identifiers of threads, the list of
 * extension modules, and with is_hung the signal by which suai ended the worker. NULL if stack is,
 * or if nothing remains.
 */
const char *stack_tidy(struct arena *arena, const char *stack, const char *own_file, bool is_hung);

#endif
