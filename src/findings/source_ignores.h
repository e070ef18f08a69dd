// SPDX-License-Identifier: MIT
/* Comments `# suai: ignore[RULE] reason` where an object is defined, or where a traced program
 * passes one to a library: the findings that they ignore, and comments that ignore nothing. */
#ifndef FINDINGS_SOURCE_IGNORES_H
#define FINDINGS_SOURCE_IGNORES_H

#include "rules/engine/run.h"

/* The comments of a run. */
struct source_ignores {
	const struct rule_selection *selection;
	struct option_list protocols; /* -p: objects of others are not targets; empty: all */
	int facts;                    /* that the run may capture */
	bool of_call_sites;           /* targets are call sites of a traced program */
	bool is_partial;              /* not all lines ran that would have targets */
	struct arena arena;
	struct source_ignore **items; /* in the order in which they were found */
	size_t n_items;
	struct source_ignore **buckets; /* the same, by file, line and cell */
	size_t n_buckets;               /* a power of two, or 0 */
	int64_t n_ignored;              /* findings */
};

/* Moves the findings that the target's comments ignore out of its results and returns them; drops
 * skipped rules that they list. */
struct fact_finding_list source_ignores_take(struct source_ignores *ignores, struct arena *arena,
	const struct fact_target *target, struct rule_results *results);

/* All comments of a module whose objects are all searched for. */
void source_ignores_take_module(
	struct source_ignores *ignores, const char *file, const struct fact_ignore_list *comments);

/* Invalid comments, and rules that they list although a check found nothing to ignore. A rule that
 * was not selected, or skipped on all targets of the line, or could find more with other options,
 * is not listed. Lives in the arena. */
struct fact_unused_ignore_list source_ignores_unused(
	const struct source_ignores *ignores, struct arena *arena);

/* Reports the same on standard error. */
void source_ignores_report(const struct fact_unused_ignore_list *unused);

void source_ignores_free(struct source_ignores *ignores);

#endif
