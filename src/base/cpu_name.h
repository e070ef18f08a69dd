// SPDX-License-Identifier: MIT
#ifndef BASE_CPU_NAME_H
#define BASE_CPU_NAME_H

#include "base/arena.h"

/* "model name" of /proc/cpuinfo; NULL if the kernel does not report it. */
const char *cpu_name(struct arena *arena);

#endif
