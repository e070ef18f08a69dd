// SPDX-License-Identifier: MIT
/* Installed packages: in site-packages or dist-packages, or, as pip install --target installs them,
 * in another directory of sys.path that contains the list of their files, *.dist-info/RECORD. */
#ifndef TRACE_INSTALLED_H
#define TRACE_INSTALLED_H

#include <stddef.h>

/* What follows the innermost directory of installed packages, site-packages or dist-packages, in a
 * path; NULL: none. */
const char *trace_after_packages(const char *path);

/* The characters of the name of the package, from its first one, to which a file with an absolute
 * path belongs; 0: to none. Call with the GIL and without the lock. */
size_t trace_installed_package(const char *path, const char **name);

/* Writes the name of a package to out: that of its directory or file, which begins at name within
 * path, or, of a package in a namespace package, the names of both with a dot. 0: there is none, or
 * it has more than max_chars, to which a zero byte is added. Call with the lock. */
size_t trace_package_name(const char *path, const char *name, char *out, size_t max_chars);

#endif
