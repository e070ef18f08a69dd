// SPDX-License-Identifier: MIT
/* The worker's process: its garbage and its end. */
#ifndef WORKER_PROCESS_PROCESS_H
#define WORKER_PROCESS_PROCESS_H

#include <stdbool.h>

/* Collects garbage, and hides the objects that are left from the collector until the process ends:
 * collecting what trials create takes microseconds then, instead of 0.1 s where large libraries are
 * imported. */
void process_freeze_objects(void);

/* Writes what Python and C buffer of standard output and error. */
void process_flush(void);

/* Runs what Python runs at exit (atexit, flushing) and exits the process. */
_Noreturn void worker_end(void);

/* worker_end() after the last message of the job: also finalizes MPI, which waits for other
 * ranks. */
_Noreturn void worker_finish(void);

#endif
