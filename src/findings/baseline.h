// SPDX-License-Identifier: MIT
/*
 * A baseline: findings that are known of and let pass, by target, rule and field, never by message,
 * since addresses move. Errors and warnings are taken into it, and notes only where notes fail.
 */
#ifndef FINDINGS_BASELINE_H
#define FINDINGS_BASELINE_H

#include "base/error.h"
#include "model/value.h"
#include "rules/engine/run.h"

#include <stdbool.h>
#include <stdint.h>

struct baseline_entry {
	const char *target; /* as seen from the baseline's folder */
	const char *rule;
	const char *field;  /* "" of the interface as a whole */
	const char *reason; /* the user's; NULL: none */
	int64_t count;      /* how many such findings are known; 0: added in this run */
	int64_t found;      /* the most that one look at the target in this run found */
	int64_t here;       /* and the look under way */
	bool is_judged;     /* the rule was asked in this run, and what it found is all there is */
};

struct baseline {
	const char *path;   /* as the user gave it */
	const char *folder; /* what is before the last slash, and that; empty: the working folder */
	bool updates;       /* what this run finds is taken in */
	const struct rule_selection *selection;
	enum severity from; /* the least severity that it takes in */
	struct arena arena;
	struct baseline_entry *items; /* the file's, sorted, then those added */
	size_t n_sorted, n_items, capacity;
	int64_t n_known;    /* findings of this run that were let pass */
	int64_t n_new;      /* those that the file did not hold */
	int64_t n_left_out; /* targets that failed, whose findings are not taken in */
};

/*
 * Reads path. A file that is not there is empty where updates, else EXIT_USAGE; so is a bad one,
 * with line and column. Keeps path and selection. Undo with baseline_close, also after a failure.
 */
int baseline_open(struct baseline *baseline, const char *path, bool updates,
	const struct rule_selection *selection, struct err *err);
void baseline_close(struct baseline *baseline);

/* Takes what is known out of the findings of a target. Gives it. */
struct fact_finding_list baseline_take(struct baseline *baseline, struct arena *arena,
	const struct fact_target *target, struct rule_results *results);

/* A module that was looked at whole, label being its targets' name before the colon: what it no
 * longer defines is gone. names: those that it does. */
void baseline_take_module(
	struct baseline *baseline, const char *label, const struct fact_texts *names);

/* For the document's summary. Keeps texts of the baseline. */
struct fact_baseline baseline_summary(const struct baseline *baseline, struct arena *arena);

/* Says on standard error what is gone, or what an update did. */
void baseline_report(const struct baseline *baseline);

/* Writes the file anew, whole or not at all, sorted. What this run did not judge stays. */
int baseline_write(struct baseline *baseline, struct err *err);

/* How many of an entry's findings the file is to hold after this run. */
int64_t baseline_kept(const struct baseline_entry *entry);

/* Adds an entry at the end; its texts live in the baseline's arena. */
struct baseline_entry *baseline_add(struct baseline *baseline, const struct baseline_entry *entry);

/* Sorts by target, rule and field, and makes one of equals, with the larger counts. */
void baseline_sort(struct baseline *baseline);

/* baseline_file.c */
int baseline_read(struct baseline *baseline, struct err *err);

#endif
