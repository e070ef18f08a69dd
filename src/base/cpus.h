// SPDX-License-Identifier: MIT
/* The processors of this machine that the process may use. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

/*
 * The number of processors in the affinity mask of the calling thread, or of those that are online
 * if the mask cannot be read; at least 1.
 */
int cpus_count_usable(void);

#endif
