// SPDX-License-Identifier: MIT
/* What GitHub is told of a run: the causes of annotations, and the step summary. */
#ifndef FORMATS_GITHUB_GITHUB_H
#define FORMATS_GITHUB_GITHUB_H

#include "base/error.h"
#include "base/text.h"
#include "facts/facts.h"

#include <stdbool.h>
#include <stdint.h>

enum github_rank { RANK_FAILURE, RANK_ERROR, RANK_WARNING, RANK_NOTE, N_RANKS };

/* A failure, finding, skipped rule or notice, with the targets that share it. */
struct github_cause {
	enum github_rank rank;
	bool is_last;    /* of its rank: a skipped rule, or a notice about an ignore */
	bool is_fixable; /* in the repository, and by its users */
	int64_t line;    /* 0: unknown */
	int64_t n_targets;
	size_t order;
	size_t turn; /* number of causes of the first target that precede it */
	uint32_t hash;
	struct text title, message;
	struct text key;       /* of the message: equal for one cause */
	struct text location;  /* the file of a target, in the repository if one is; escaped */
	struct text path;      /* the same, not escaped */
	struct text raised_at; /* the place of the exception; empty: none */
	struct text names;     /* of targets */
	size_t n_first;        /* bytes of the first one's name in names; 0: none */
};

struct github_report {
	const struct github_cause *causes; /* sorted */
	size_t n_causes;
	int64_t n_more; /* annotations that are not in causes */
	const struct fact_summary *summary;
};

/* Appends a table in Markdown to the file that $GITHUB_STEP_SUMMARY names, if it is set. */
int github_write_step_summary(const struct github_report *report, struct err *err);

#endif
