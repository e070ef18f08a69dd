// SPDX-License-Identifier: MIT
/* The worker's process: its working directory and its end. */
#ifndef WORKER_PROCESS_PROCESS_H
#define WORKER_PROCESS_PROCESS_H

#include <stdbool.h>

/* Makes the root directory the working directory, and undoes that; no-ops if that was already done.
 */
void directory_leave(void);
bool directory_return(void); /* whether it was left */

/* Opens a path relative to the directory that suai was started in. */
int directory_open(const char *path, int flags);

/* Writes what Python and C buffer of standard output and error. */
void process_flush(void);

/* Runs what Python runs at exit (atexit, flushing) and exits the process. */
_Noreturn void worker_end(void);

/* The same after the last message of the job; also finalizes MPI, which waits for other ranks. */
_Noreturn void worker_finish(void);

#endif
