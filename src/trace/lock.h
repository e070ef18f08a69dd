// SPDX-License-Identifier: MIT
/* The lock of all tables of the tracer. No function of Python or of the program is called with it:
 * that may call a hook. */
#ifndef TRACE_LOCK_H
#define TRACE_LOCK_H

#include "trace/hidden.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Whether exchanges are recorded. In memory that the kernel clears in a child, however it forks. */
extern TRACE_HIDDEN _Atomic bool *trace_switch;

/* Does in a child what is done after fork(), if a system call forked it. False: it is not traced,
 * or the lock is held. */
bool trace_resume_in_child(void);

/* Whether exchanges are recorded; false in a forked child that is not traced. */
static inline bool trace_is_on(void)
{
	return *trace_switch || trace_resume_in_child();
}

void trace_lock(void);
void trace_unlock(void);

#endif
