// SPDX-License-Identifier: MIT
/* Opening a library at run time and filling a table of its functions. */
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct dynlib_symbol {
	const char *name;
	size_t offset; /* of the function pointer in the table */
	bool optional; /* left NULL when the library lacks it */
};

/*
 * Opens the first of names (ends with NULL) that loads; one already loaded wins. With only_loaded a
 * library that is not loaded is not opened. Fills table from symbols (ends with a NULL name). A
 * missing library or symbol is EXIT_UNAVAILABLE and names it. *handle is kept open for the life of
 * the process.
 */
int dynlib_open(const char *const *names, bool only_loaded, const struct dynlib_symbol *symbols,
	void *table, void **handle, struct err *err);

/* How many libraries were loaded so far: while it does not change, none was added. */
unsigned long long dynlib_n_loads(void);

#endif
