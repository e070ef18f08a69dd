// SPDX-License-Identifier: MIT
/* Targets that name nothing. */
#ifndef COMMANDS_MISSING_H
#define COMMANDS_MISSING_H

#include "model/value.h"

/* "name 'b' is not defined" becomes a list of what is there, and what was probably meant. */
void missing_explain(struct arena *arena, struct value *facts);

#endif
