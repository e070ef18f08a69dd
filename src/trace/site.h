// SPDX-License-Identifier: MIT
/* The line of the program that causes an exchange. */
#ifndef TRACE_SITE_H
#define TRACE_SITE_H

#include "trace/hidden.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a file is below site-packages or in the standard library. */
bool trace_site_is_library_file(const char *path);

/* The site of the first frame that is outside of site-packages and the standard library, or of the
 * innermost one; TRACE_NONE if there is no frame. Call with the GIL and without the lock. */
uint32_t trace_site_find(void);

/* The same; *is_importing: that line imports a package whose modules are being executed, which
 * is also set without the layer of lines. */
uint32_t trace_site_find_importing(bool *is_importing);

/* The line of a call that may cause several exchanges, which is found for the first of them: what
 * runs during the call does not change it. Zero-initialise. */
struct trace_call_line {
	bool is_known, is_importing;
	uint32_t site;
};

/* The same, with the line of the call that is under way; NULL: it is not kept. */
uint32_t trace_site_of_call(struct trace_call_line *line, bool *is_importing);

/* A module whose owner is known. This avoids reading the frame: Python creates an object for
 * each frame that is read, which takes longer than a small copy. */
struct trace_known_module {
	const void *globals;         /* its global variables */
	const void *module;          /* to compare it only: */
	const void *const *referent; /* what a weak reference to it refers to */
	uint32_t library;            /* TRACE_NONE: the program */
	bool is_own; /* belongs to the program or to NumPy, whose conversions are not exchanges */
};

enum { TRACE_N_KNOWN_MODULES = 512 };
extern TRACE_HIDDEN _Atomic(const struct trace_known_module *)
	trace_known_modules[TRACE_N_KNOWN_MODULES];

static inline size_t trace_known_module_hash(const void *globals)
{
	return ((uintptr_t)globals >> 6) % TRACE_N_KNOWN_MODULES;
}

/* The module of the running code; NULL: unknown. As long as the module exists, so do its global
 * variables, so that no other dictionary has their address. Call with the GIL. */
static inline const struct trace_known_module *trace_site_known_module(void)
{
	const void *globals = trace_python.eval_get_globals();
	const struct trace_known_module *known = atomic_load_explicit(
		&trace_known_modules[trace_known_module_hash(globals)], memory_order_acquire);

	return known && known->globals == globals && *known->referent == known->module ? known
										       : NULL;
}

/* Writes the name of the installed package that a file belongs to, such as "cuda.core". False: it
 * belongs to none, or the name is too long. Call as the above. */
enum { TRACE_MAX_PACKAGE_CHARS = 99 };
bool trace_site_package_of_file(const char *path, char out[TRACE_MAX_PACKAGE_CHARS + 1]);

/* Whether a frame runs code of the program, also what it generates. Call as the above. */
bool trace_site_is_program_frame(void *frame);

/* The package of the innermost frame; TRACE_NONE if that is not below site-packages. Call as the
 * above. */
uint32_t trace_site_package(void);

/* The package of a frame; TRACE_NONE as above. Call as the above. */
uint32_t trace_site_package_of_frame(void *frame);

/* The package of the innermost frame that runs no code of modules whose names begin with the
 * prefix; TRACE_NONE as above. Call as the above. */
uint32_t trace_site_package_above(const char *prefix);

/* The package of the innermost frame that is below site-packages, an index of
 * trace_memory.libraries; otherwise is returned if there is none. Call as the above. */
uint32_t trace_site_library(uint32_t otherwise);

#endif
