// SPDX-License-Identifier: MIT
/*
 * TARGET words as the user gives them: FILE.py[:EXPR], package.module[:EXPR], FILE.ipynb[:EXPR],
 * FILE.npy, FILE.yaml, `-`, and expressions of -c CODE.
 */
#ifndef TARGETS_TARGETS_H
#define TARGETS_TARGETS_H

#include "base/error.h"
#include "base/option.h"
#include "model/job.h"

enum source_kind { SOURCE_PYTHON, SOURCE_DUMP, SOURCE_NPY };

/* Where targets come from, in the order of the command line; consecutive Python modules are one
 * source. */
struct source {
	enum source_kind kind;
	const char *path;           /* of a dump or .npy file; "-" is standard input */
	struct job_modules modules; /* SOURCE_PYTHON */
};

struct source_list {
	struct source *items;
	size_t n_items;
	bool reads_stdin; /* by suai itself: the worker must not read it */
};

/* The targets that the user named. */
struct target_words {
	const struct option_list *operands;
	const struct option_list *files;     /* of --targets-from; these follow the operands */
	const char *code;                    /* of -c; NULL: none */
	const struct option_list *arguments; /* after --: of the scripts */
};

/*
 * Sorts TARGET words into sources, allocated in the arena. EXIT_USAGE if there are none, if the
 * name of a file does not determine its kind, or if there are arguments but no script.
 */
int targets_parse(struct arena *arena, const struct target_words *words,
	struct source_list *sources, struct err *err);

/* The number of targets as known before anything is loaded: a module or dump that may have several
 * counts as one. */
uint64_t targets_count(const struct source_list *sources);

/* Splits "FILE.py:EXPR" and "package.module:EXPR"; *expression is NULL if there is none. */
void target_split(
	struct arena *arena, const char *word, const char **name, const char **expression);

/* Whether the part before the expression is the path of a file, not a module's name or "-". */
bool target_is_file(const char *word);

/* Why a name that is not a module's and has no known suffix cannot be read: a directory, or a file
 * of another kind; NULL: there is no such file. */
const char *target_file_problem(struct arena *arena, const char *name);

#endif
