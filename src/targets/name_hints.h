// SPDX-License-Identifier: MIT
/* Targets that name nothing. */
#ifndef TARGETS_NAME_HINTS_H
#define TARGETS_NAME_HINTS_H

#include "facts/facts.h"
#include "model/job.h"

/* "name 'b' is not defined" becomes a list of what is there, and what was probably meant. */
void name_hints_explain(struct arena *arena, struct fact_target *target);

/*
 * Adds to the error of a target or module the import that a NameError of an array library's usual
 * name lacks. Says of what -c could not parse that it is an expression.
 * Puts the interpreter into the message of a ModuleNotFoundError, and how to choose another; of a
 * TARGET that is a file of another kind, or a directory, that it is. module: of the job, or NULL;
 * python: the value of --python, or NULL.
 */
void name_hints_explain_module(struct arena *arena, enum target_status status, const char *step,
	struct fact_error *error, const struct job_module *module, const char *python);

#endif
