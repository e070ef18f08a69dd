// SPDX-License-Identifier: MIT
/* Variables of the environment. What suai reads is listed in the man page
 * (docgen/environment.c). */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Makes the path of a file that exists absolute, before the working directory changes. */
void environment_make_absolute(const char *variable);

/* Whether it is set, and neither empty nor 0. */
bool environment_forces(const char *variable);

#endif
