// SPDX-License-Identifier: MIT
/* --help and --version: what the option rows and the command rows say. */
#ifndef COMMANDS_HELP_H
#define COMMANDS_HELP_H

#include <stdbool.h>

/* Whether the command line asks for help or the version (or names no command at all). */
bool help_wanted(int argc, char **argv);

/* Prints it. Returns the exit code: EXIT_USAGE where no command was named. */
int help_print(int argc, char **argv);

#endif
