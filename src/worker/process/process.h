// SPDX-License-Identifier: MIT
/* The worker's process: its end. */
#ifndef WORKER_PROCESS_PROCESS_H
#define WORKER_PROCESS_PROCESS_H

#include <stdbool.h>

/* Writes what Python and C buffer of standard output and error. */
void process_flush(void);

/* Runs what Python runs at exit (atexit, flushing) and exits the process. */
_Noreturn void worker_end(void);

/* The same after the last message of the job; also finalizes MPI, which waits for other ranks. */
_Noreturn void worker_finish(void);

#endif
