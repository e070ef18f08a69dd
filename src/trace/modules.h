// SPDX-License-Identifier: MIT
/* Modules of Python whose functions are replaced once they are imported. */
#ifndef TRACE_MODULES_H
#define TRACE_MODULES_H

#include "trace/hidden.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Which modules were considered. */
extern TRACE_HIDDEN struct trace_considered {
	/* TRACE_MODULES_DUE: an extension module was loaded since. */
	_Atomic ptrdiff_t n_modules;
	/* The number of modules there are, in the dictionary of the first interpreter, which is
	 * never freed; otherwise a number that differs from n_modules, so that Python is asked. */
	_Atomic(const _Atomic ptrdiff_t *) n_present;
} trace_considered;

enum { TRACE_MODULES_DUE = -1, TRACE_MODULES_UNKNOWN = -2 };

/* An extension module was loaded; those loaded before it may be complete. */
void trace_modules_loaded(void);

/* Looks for modules that were completed since the last module was loaded. Call with the GIL and
 * without the lock. */
void trace_modules_update(void);

/* Whether there may be modules that have not been considered yet, which is rarely the case. */
static inline bool trace_modules_are_due(void)
{
	const _Atomic ptrdiff_t *n_present =
		atomic_load_explicit(&trace_considered.n_present, memory_order_acquire);

	return atomic_load_explicit(n_present, memory_order_relaxed) !=
	       atomic_load_explicit(&trace_considered.n_modules, memory_order_relaxed);
}

/* trace_modules_update() if they are due. */
static inline void trace_modules_update_changed(void)
{
	if (trace_modules_are_due())
		trace_modules_update();
}

/* What holds memory is searched when the interpreter ends (trace/holders.h). */
void trace_modules_search_holders(void);

/* In a forked child, in which the thread that considered modules does not exist. */
void trace_modules_fork(void);

#endif
