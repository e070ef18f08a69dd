// SPDX-License-Identifier: MIT
/* The lock of all tables of the tracer. No function of Python or of the program is called with it:
 * that may call a hook. */
#ifndef TRACE_LOCK_H
#define TRACE_LOCK_H

#include "trace/hidden.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Whether exchanges are recorded; false in a forked child. */
extern TRACE_HIDDEN _Atomic bool trace_is_on;

void trace_lock(void);
void trace_unlock(void);

#endif
