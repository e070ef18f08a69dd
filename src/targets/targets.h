// SPDX-License-Identifier: MIT
/*
 * TARGET words as the user gives them: FILE.py[:EXPR], package.module[:EXPR], FILE.npy, FILE.yaml,
 * `-`, and expressions of -c CODE.
 */
#ifndef TARGETS_TARGETS_H
#define TARGETS_TARGETS_H

#include "base/error.h"
#include "base/option.h"
#include "model/job.h"

enum source_kind { SOURCE_PYTHON, SOURCE_DUMP, SOURCE_NPY };

/* Where targets come from, in the order of the command line; neighbours of one module are one
 * source. */
struct source {
	enum source_kind kind;
	const char *path;           /* of a dump or .npy file; "-" is standard input */
	struct job_modules modules; /* SOURCE_PYTHON */
};

struct source_list {
	struct source *items;
	size_t n_items;
	bool reads_stdin; /* suai itself does: the worker must not */
};

/* What the user named. */
struct target_words {
	const struct option_list *operands;
	const struct option_list
		*files;   /* of --targets-from; their words come after the operands */
	const char *code; /* of -c; NULL: none */
};

/*
 * Sorts the words into sources. EXIT_USAGE where there are none, or where a file named does not
 * say what it is. Memory is the arena's.
 */
int targets_parse(struct arena *arena, const struct target_words *words,
	struct source_list *sources, struct err *err);

/* How many targets they are, as far as that is known before anything is loaded: what may hold
 * several counts as one. */
uint64_t targets_count(const struct source_list *sources);

/* Splits "FILE.py:EXPR" and "package.module:EXPR"; *expression is NULL where there is none. */
void target_split(
	struct arena *arena, const char *word, const char **name, const char **expression);

/* Whether what stands before the expression is the path of a file, and no module's name or "-". */
bool target_is_file(const char *word);

/* What is wrong with a name that is none of a module and has no suffix that suai reads: that it is
 * a folder, or a file of another kind; NULL: there is no such file. */
const char *target_is_no_kind(struct arena *arena, const char *name);

#endif
