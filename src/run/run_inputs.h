// SPDX-License-Identifier: MIT
/* What a run reads is never what it writes: a result would replace a script, or a dump. */
#ifndef RUN_RUN_INPUTS_H
#define RUN_RUN_INPUTS_H

#include "run/run.h"

/*
 * EXIT_USAGE where path, what the option writes, is a file that the run reads, by whatever name: a
 * script, a module of the working directory or of $PYTHONPATH, a .npy file, a dump, a list of
 * targets, a configuration file, the baseline. NULL and "-" are no files.
 */
int run_check_output(const struct run *run, const char *option, const char *path, struct err *err);

#endif
