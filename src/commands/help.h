// SPDX-License-Identifier: MIT
/* The help of a command, printed from the tables of commands and options. */
#ifndef COMMANDS_HELP_H
#define COMMANDS_HELP_H

#include "cli/command.h"

/* Whether argv[1..] of a command asks for its help, by --help or -h. */
bool help_wanted(const struct command *command, int argc, char **argv);

/* Prints it. Returns the exit code. */
int help_print(const struct command *command);

#endif
