// SPDX-License-Identifier: MIT
/* Targets that name nothing. */
#ifndef TARGETS_NAME_HINTS_H
#define TARGETS_NAME_HINTS_H

#include "model/value.h"

/* "name 'b' is not defined" becomes a list of what is there, and what was probably meant. */
void name_hints_explain(struct arena *arena, struct value *facts);

/* Adds the import that a NameError of an array library's usual name lacks. */
void name_hints_explain_usual(struct arena *arena, struct value *facts);

/*
 * Says of what -c could not parse that it is an expression.
 * Puts the interpreter into the message of a ModuleNotFoundError, and how to choose another; of a
 * TARGET that is a file of another kind, or a folder, that it is. module: of the job, that the
 * facts are of, or NULL; python: what --python says, or NULL.
 */
void name_hints_explain_module(
	struct arena *arena, struct value *facts, const struct value *module, const char *python);

#endif
