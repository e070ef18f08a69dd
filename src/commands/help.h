// SPDX-License-Identifier: MIT
/* --help and --version, printed from the tables of commands and options. */
#ifndef COMMANDS_HELP_H
#define COMMANDS_HELP_H

#include <stdbool.h>

/* Whether the command line asks for help or the version (or has no command). */
bool help_wanted(int argc, char **argv);

/* Prints it. Returns the exit code: EXIT_USAGE if there is no command. */
int help_print(int argc, char **argv);

#endif
