// SPDX-License-Identifier: MIT
/* Errors of targets that do not exist. */
#ifndef TARGETS_NAME_HINTS_H
#define TARGETS_NAME_HINTS_H

#include "facts/facts.h"
#include "model/job.h"

/* The run that an error belongs to. */
struct name_hint_run {
	const char *command; /* such as "inspect"; with "..." if it requires options */
	const char *python;  /* the value of --python, or NULL */
	bool as_main;        /* --main */
};

/* Replaces "name 'b' is not defined" by the defined names, and the one probably meant; names --main
 * if the script binds the name only then. */
void name_hints_explain(struct arena *arena, struct fact_target *target,
	const struct job_module *module, const struct name_hint_run *run);

/*
 * Adds to the error of a target or module: the missing import, for a NameError of an array
 * library's usual name; that a TARGET with -c is an expression, for one that cannot be parsed; the
 * interpreter and how to choose another, for a ModuleNotFoundError, or PYTHONPATH for a module in
 * the working directory, or that the TARGET is a directory or a file of another kind; the dotted
 * name, for a relative import of a file; that arguments follow --, for a script that exits with 2;
 * the file NAME.py that hides a package; that a file whose import hung is a FIFO.
 * module: of the job, or NULL.
 */
void name_hints_explain_module(struct arena *arena, enum target_status status, const char *step,
	struct fact_error *error, const struct job_module *module, const struct name_hint_run *run);

/* The public names that a script binds only as __main__, "a and b": those of its text that are not
 * among the names that it has defined otherwise. NULL: there are none. */
const char *name_hints_main_names(
	struct arena *arena, const struct job_module *module, const struct fact_texts *defined);

#endif
