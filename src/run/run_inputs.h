// SPDX-License-Identifier: MIT
/* Prevents a run from overwriting its own input, such as a script or a dump. */
#ifndef RUN_RUN_INPUTS_H
#define RUN_RUN_INPUTS_H

#include "run/run.h"

/*
 * EXIT_USAGE if path, which the option writes, is a file that the run reads, by any name: a script,
 * a module in the working directory or $PYTHONPATH, a .npy file, a dump, a list of targets, a
 * configuration file, the baseline. NULL and "-" are not files.
 */
int run_check_output(const struct run *run, const char *option, const char *path, struct err *err);

/* EXIT_USAGE if path, which the option writes, is the file `input`. */
int run_check_input(const char *option, const char *path, const char *input, struct err *err);

#endif
