// SPDX-License-Identifier: MIT
/*
 * Drivers read files from the working directory: Intel's libintelocl.so has empty entries in its
 * DT_RUNPATH, so that the loader searches it for libz.so.1, and it reads cl.cfg, which names
 * libraries to load. If no target is Python code, drivers run in the root directory.
 */
#ifndef OS_WORKING_DIRECTORY_H
#define OS_WORKING_DIRECTORY_H

#include <stdbool.h>

/* Makes the root directory the working directory, and undoes that; no-ops if that was already done.
 */
void directory_leave(void);
bool directory_return(void); /* whether it was left */

/* Opens a path relative to the directory that suai was started in. */
int directory_open(const char *path, int flags);

#endif
