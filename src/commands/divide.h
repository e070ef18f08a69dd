// SPDX-License-Identifier: MIT
/* `-j N`: how many workers, and modules with very many targets in pieces for them. */
#ifndef COMMANDS_DIVIDE_H
#define COMMANDS_DIVIDE_H

#include "model/value.h"

/* What -j means here: 0 is the number of cores that this process may use. */
int64_t divide_jobs(int64_t jobs);

/*
 * The job's modules for so many workers: where they are fewer, a module with at least
 * DIVIDE_LEAST_TARGETS named targets becomes several entries, each with some of them. Gives the
 * list that was given where nothing is divided.
 */
enum { DIVIDE_LEAST_TARGETS = 1000 };

struct value *divide_modules(struct arena *arena, struct value *modules, int64_t jobs);

#endif
