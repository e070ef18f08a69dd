// SPDX-License-Identifier: MIT
/* The devices that `suai devices` lists. */
#ifndef COMMANDS_DEVICES_H
#define COMMANDS_DEVICES_H

#include "base/error.h"

#include <stdio.h>

/* Prints each device as --device accepts it. Returns the exit code; -1 with err set. */
int devices_print_names(FILE *out, struct err *err);

#endif
