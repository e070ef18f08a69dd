// SPDX-License-Identifier: MIT
/*
 * A baseline: known findings that do not fail a run, by target, rule and field, never by message,
 * since addresses vary. It lists errors and warnings, and notes only if notes fail.
 */
#ifndef FINDINGS_BASELINE_H
#define FINDINGS_BASELINE_H

#include "base/error.h"
#include "model/value.h"
#include "rules/engine/run.h"

#include <stdbool.h>
#include <stdint.h>

struct baseline_entry {
	const char *target; /* relative to the baseline's directory */
	const char *rule;
	const char *field;  /* "": the interface as a whole */
	const char *reason; /* the user's; NULL: none */
	int64_t count;      /* how many such findings are known; 0: added in this run */
	int64_t found;      /* the most that one check of the target in this run found */
	int64_t here;       /* found so far by the check in progress */
	bool is_judged;     /* this run checked the rule, and found counts all its findings */
};

struct baseline {
	const char *path; /* as the user gave it */
	const char
		*directory; /* up to and including the last slash; empty: the working directory */
	bool updates;       /* the findings of this run are added */
	const struct rule_selection *selection;
	enum severity from; /* the lowest severity that it lists */
	struct arena arena;
	struct baseline_entry *items; /* the file's, sorted, then those added */
	size_t n_sorted, n_items, capacity;
	int64_t n_known;    /* findings of this run that the file lists */
	int64_t n_new;      /* those that it does not list */
	int64_t n_left_out; /* targets that failed, whose findings are not added */
};

/*
 * Reads path. A missing file is empty if updates, otherwise EXIT_USAGE, as is an invalid file, with
 * line and column. Keeps path and selection. Undo with baseline_close, also after a failure.
 */
int baseline_open(struct baseline *baseline, const char *path, bool updates,
	const struct rule_selection *selection, struct err *err);
void baseline_close(struct baseline *baseline);

/* Moves known findings out of the results of a target and returns them. */
struct fact_finding_list baseline_take(struct baseline *baseline, struct arena *arena,
	const struct fact_target *target, struct rule_results *results);

/* Marks entries of names that a completely searched module no longer defines, or whose objects no
 * longer expose the protocols of the rule. label: its targets' name before the colon; chosen: the
 * protocols that were searched for, empty: all. */
void baseline_take_module(struct baseline *baseline, const char *label,
	const struct fact_module_result *module, const struct option_list *chosen);

/* The baseline of the document's summary. Keeps texts of the baseline. */
struct fact_baseline baseline_summary(const struct baseline *baseline, struct arena *arena);

/* Reports on standard error the findings that no longer occur, or what an update changed. */
void baseline_report(const struct baseline *baseline);

/* Rewrites the file, sorted, completely or not at all. Entries that this run did not check stay. */
int baseline_write(struct baseline *baseline, struct err *err);

/* The count of an entry after an update with this run. */
int64_t baseline_kept(const struct baseline_entry *entry);

/* Adds an entry at the end; its texts live in the baseline's arena. */
struct baseline_entry *baseline_add(struct baseline *baseline, const struct baseline_entry *entry);

/* Sorts by target, rule and field, and merges equal entries, keeping the larger counts. */
void baseline_sort(struct baseline *baseline);

#endif
