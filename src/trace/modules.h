// SPDX-License-Identifier: MIT
/* Modules of Python whose functions are replaced once they are imported. */
#ifndef TRACE_MODULES_H
#define TRACE_MODULES_H

#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Of modules, those that were considered; 0: none yet. */
extern struct trace_considered {
	_Atomic bool is_due; /* an extension module was loaded since */
	_Atomic ptrdiff_t n_modules;
	/* The number of modules there are, in the dictionary of the first interpreter, which is
	 * never freed; NULL: ask Python. */
	_Atomic(const _Atomic ptrdiff_t *) n_present;
} trace_considered;

/* An extension module was loaded; those loaded before it may be complete. */
void trace_modules_loaded(void);

/* Looks for modules that were completed since the last module was loaded. Call with the GIL and
 * without the lock. */
void trace_modules_update(void);

/* The same; most calls find that all modules were considered. */
static inline void trace_modules_update_changed(void)
{
	const _Atomic ptrdiff_t *n_present = trace_considered.n_present;

	if (trace_considered.is_due || !n_present || *n_present != trace_considered.n_modules)
		trace_modules_update();
}

/* What holds memory is searched when the interpreter ends (trace/holders.h). */
void trace_modules_search_holders(void);

/* In a forked child: the thread that considered modules is not there. */
void trace_modules_fork(void);

#endif
