// SPDX-License-Identifier: MIT
/* The results of a baseline, in documents and as notices. */
#include "findings/baseline.h"

#include "base/plural.h"
#include "base/text.h"
#include "output/notice.h"
#include "targets/target_name.h"
#include "targets/targets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LINES = 10 };

static int64_t gone_of(const struct baseline_entry *entry)
{
	return entry->is_judged && entry->found < entry->count ? entry->count - entry->found : 0;
}

/* The entry's target as the run names it: relative to the working directory. */
static const char *name_of(
	const struct baseline *baseline, struct arena *arena, const struct baseline_entry *entry)
{
	const char *name = entry->target;

	if (target_is_file(name) && *name != '/')
		name = arena_printf(arena, "%s%s", baseline->directory, name);
	return target_name_relative(arena, name, "");
}

struct fact_baseline baseline_summary(const struct baseline *baseline, struct arena *arena)
{
	struct fact_baseline summary = { .present = true,
		.known = fact_int(baseline->n_known),
		.new = fact_int(baseline->n_new) };

	for (size_t i = 0; i < baseline->n_sorted; i++) {
		const struct baseline_entry *entry = &baseline->items[i];
		struct fact_gone *gone;

		if (!gone_of(entry))
			continue;
		gone = FACT_LIST_ADD(arena, &summary.gone);
		gone->target = name_of(baseline, arena, entry);
		gone->rule = entry->rule;
		gone->field = *entry->field ? entry->field : NULL;
		gone->count = fact_int(gone_of(entry));
		gone->reason = entry->reason;
	}
	return summary;
}

static void report_gone(const struct baseline *baseline, const struct baseline_entry *entry)
{
	struct text line = { 0 };
	struct arena arena = { 0 };
	const char *name = name_of(baseline, &arena, entry);

	text_add(&line, name);
	text_printf(&line, ": %s", entry->rule);
	text_add(&line, *entry->field ? " " : "");
	text_add(&line, entry->field);
	if (gone_of(entry) > 1)
		text_printf(&line, ", %" PRId64 " findings", gone_of(entry));
	notice("%s: %s: no longer found", baseline->path, line.bytes);
	text_free(&line);
	arena_free(&arena);
}

static void report_update(const struct baseline *baseline)
{
	int64_t n_kept = 0, n_gone = 0;

	for (size_t i = 0; i < baseline->n_items; i++) {
		n_kept += baseline_kept(&baseline->items[i]);
		n_gone += gone_of(&baseline->items[i]);
	}
	notice("%s: wrote %" PRId64 " finding%s: %" PRId64 " new, %" PRId64 " no longer found",
		baseline->path, n_kept, plural(n_kept), baseline->n_new, n_gone);
	if (baseline->n_left_out)
		notice("%s: %" PRId64 " target%s failed; %s entries are unchanged", baseline->path,
			baseline->n_left_out, plural(baseline->n_left_out),
			baseline->n_left_out == 1 ? "its" : "their");
}

void baseline_report(const struct baseline *baseline)
{
	int64_t n_lines = 0, n_gone = 0;

	if (baseline->updates) {
		report_update(baseline);
		return;
	}
	for (size_t i = 0; i < baseline->n_sorted; i++) {
		if (!gone_of(&baseline->items[i]))
			continue;
		n_gone++;
		if (n_lines < MAX_LINES)
			report_gone(baseline, &baseline->items[i]);
		n_lines++;
	}
	if (n_gone > MAX_LINES)
		notice("%s: %" PRId64 " more no longer found", baseline->path, n_gone - MAX_LINES);
	if (n_gone)
		notice("%s: --update-baseline removes %s", baseline->path,
			n_gone == 1 ? "it" : "them");
}
