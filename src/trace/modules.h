// SPDX-License-Identifier: MIT
/* Modules of Python whose functions are replaced once they are imported. */
#ifndef TRACE_MODULES_H
#define TRACE_MODULES_H

/* An extension module was loaded; those loaded before it may be complete. */
void trace_modules_loaded(void);

/* Looks for modules that were completed since the last module was loaded. Call with the GIL and
 * without the lock. */
void trace_modules_update(void);

/* What holds memory is searched when the interpreter ends (trace/holders.h). */
void trace_modules_search_holders(void);

/* In a forked child: the thread that considered modules is not there. */
void trace_modules_fork(void);

#endif
