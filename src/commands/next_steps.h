// SPDX-License-Identifier: MIT
/* What `suai` without arguments prints. */
#ifndef COMMANDS_NEXT_STEPS_H
#define COMMANDS_NEXT_STEPS_H

/* Prints to standard error commands that work on this machine, beginning with program as its user
 * spelled it. Returns the exit code, EXIT_USAGE. */
int next_steps_print(const char *program);

#endif
