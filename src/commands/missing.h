// SPDX-License-Identifier: MIT
/* Targets that name nothing. */
#ifndef COMMANDS_MISSING_H
#define COMMANDS_MISSING_H

#include "model/value.h"

/* "name 'b' is not defined" becomes a list of what is there, and what was probably meant. */
void missing_explain(struct arena *arena, struct value *facts);

/* Puts the interpreter into the message of a ModuleNotFoundError, and how to choose another.
 * python: what --python says, or NULL. */
void missing_explain_module(struct arena *arena, struct value *facts, const char *python);

#endif
