// SPDX-License-Identifier: MIT
/* Variables of the environment that switch something off or on, for tests. What suai reads stands
 * in the man page (commands/docs_environment.c). */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Whether it is set, and neither empty nor 0. */
bool environment_forces(const char *variable);

#endif
