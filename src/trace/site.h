// SPDX-License-Identifier: MIT
/* The line of the program that causes an exchange. */
#ifndef TRACE_SITE_H
#define TRACE_SITE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a file is below site-packages or in the standard library. */
bool trace_site_is_library_file(const char *path);

/* The site of the first frame that is outside of site-packages and the standard library, or of the
 * innermost one; TRACE_NONE if there is no frame. Call with the GIL and without the lock. */
uint32_t trace_site_find(void);

/* The same; *is_importing: that line imports a package, whose modules are being executed. */
uint32_t trace_site_find_importing(bool *is_importing);

/* The package of the innermost frame; TRACE_NONE if that is not below site-packages. Call as the
 * above. */
uint32_t trace_site_package(void);

/* The package of the innermost frame that is below site-packages, an index of
 * trace_memory.libraries; otherwise is returned if there is none. Call as the above. */
uint32_t trace_site_library(uint32_t otherwise);

#endif
