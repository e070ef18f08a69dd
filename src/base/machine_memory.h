// SPDX-License-Identifier: MIT
#ifndef BASE_MACHINE_MEMORY_H
#define BASE_MACHINE_MEMORY_H

#include <stdint.h>

/* The bytes that all processes can use at once: memory and swap, or the limit of the control group
 * of a container. Where the kernel overcommits, more can be allocated, but to use it ends
 * processes. */
uint64_t machine_memory_bytes(void);

#endif
