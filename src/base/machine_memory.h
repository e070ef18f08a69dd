// SPDX-License-Identifier: MIT
#ifndef BASE_MACHINE_MEMORY_H
#define BASE_MACHINE_MEMORY_H

#include <stdint.h>

/* The bytes that this process can use at once: memory and swap of the machine, or the limit of its
 * control group, as of a container or a unit of systemd. Where the kernel overcommits, more can be
 * allocated, but to use it ends processes. */
uint64_t machine_memory_bytes(void);

/* That limit, of the control groups that the file `groups` lists as /proc/self/cgroup does, in
 * root, with swap_bytes of swap in the machine; UINT64_MAX: none. For tests. */
uint64_t machine_memory_limit(const char *groups, const char *root, uint64_t swap_bytes);

#endif
