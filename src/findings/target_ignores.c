// SPDX-License-Identifier: MIT
/* Matches targets with patterns, drops ignored findings, and reports ignores without any. */
#include "findings/target_ignores.h"

#include "output/notice.h"
#include "targets/target_name.h"
#include "targets/targets.h"

#include <fnmatch.h>
#include <string.h>

/* Names as they are printed may contain brackets: consumer[case], or tests of pytest with
 * parameters. */
static bool matches_name(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
}

/* Matches the whole name, or the part before its expression. */
static bool matches(struct arena *arena, const struct target_ignore *ignore, const char *target)
{
	const char *name = target_name_from(arena, target, ignore->file->directory);
	const char *source, *expression;

	target_split(arena, name, &source, &expression);
	return matches_name(ignore->pattern, name) ||
	       (expression && matches_name(ignore->pattern, source));
}

/* Whether one of the ignore's rules matches; marks it as used. */
static bool is_ignored(struct target_ignore *ignore, const char *id)
{
	const struct rule *rule = rule_find(id);
	bool is_ignored_rule = false;

	for (size_t i = 0; rule && i < ignore->rules.n_items; i++) {
		if (!rule_matches_word(ignore->rules.items[i], rule))
			continue;
		ignore->used[i] = true;
		is_ignored_rule = true;
	}
	return is_ignored_rule;
}

static void drop_ignored(struct target_ignore *ignore, struct fact_finding_list *findings,
	struct fact_skip_list *skipped)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < findings->n_items; i++)
		if (!is_ignored(ignore, findings->items[i].rule))
			findings->items[n_kept++] = findings->items[i];
	findings->n_items = n_kept;
	n_kept = 0;
	for (size_t i = 0; i < skipped->n_items; i++)
		if (!is_ignored(ignore, skipped->items[i].rule))
			skipped->items[n_kept++] = skipped->items[i];
	skipped->n_items = n_kept;
}

void target_ignores_apply(struct config *config, struct arena *arena, const char *target,
	struct fact_finding_list *findings, struct fact_skip_list *skipped)
{
	for (size_t i = 0; i < config->n_ignores; i++) {
		struct target_ignore *ignore = &config->ignores[i];

		if (!matches(arena, ignore, target))
			continue;
		ignore->is_met = true;
		drop_ignored(ignore, findings, skipped);
	}
}

void target_ignores_report(
	const struct config *config, const struct rule_selection *selection, bool all_targets)
{
	for (size_t i = 0; i < config->n_ignores; i++) {
		const struct target_ignore *ignore = &config->ignores[i];

		if (!ignore->is_met) {
			if (all_targets)
				notice("%s:%zu: per-target-ignores: no target matches '%s'",
					ignore->file->path, ignore->line, ignore->pattern);
			continue;
		}
		for (size_t k = 0; k < ignore->rules.n_items; k++)
			if (!ignore->used[k] &&
				rules_select_word(selection, ignore->rules.items[k]))
				notice("%s:%zu: per-target-ignores: no target that matches '%s' has a finding of %s",
					ignore->file->path, ignore->line, ignore->pattern,
					ignore->rules.items[k]);
	}
}
