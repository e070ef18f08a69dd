// SPDX-License-Identifier: MIT
/* Compares the findings of a run with those of the baseline. */
#include "findings/baseline.h"

#include "base/identifier.h"
#include "base/memory.h"
#include "documents/call_site.h"
#include "facts/message.h"
#include "model/escape.h"
#include "targets/target_name.h"
#include "targets/targets.h"

#include <stdlib.h>
#include <string.h>

/* --- entries --- */

struct baseline_entry *baseline_add(struct baseline *baseline, const struct baseline_entry *entry)
{
	if (baseline->n_items == baseline->capacity) {
		baseline->capacity = baseline->capacity ? 2 * baseline->capacity : 64;
		baseline->items =
			mem_resize(baseline->items, baseline->capacity * sizeof(*baseline->items));
	}
	baseline->items[baseline->n_items] = *entry;
	return &baseline->items[baseline->n_items++];
}

static int compare_keys(const struct baseline_entry *a, const struct baseline_entry *b)
{
	int order = strcmp(a->target, b->target);

	order = order ? order : strcmp(a->rule, b->rule);
	return order ? order : strcmp(a->field, b->field);
}

static int compare_baseline_entries(const void *a, const void *b)
{
	return compare_keys(a, b);
}

static void merge_entries(struct baseline_entry *into, const struct baseline_entry *from)
{
	into->count = from->count > into->count ? from->count : into->count;
	into->found = from->found > into->found ? from->found : into->found;
	into->reason = into->reason ? into->reason : from->reason;
	into->is_judged |= from->is_judged;
}

void baseline_sort(struct baseline *baseline)
{
	size_t n = 0;

	if (baseline->n_items)
		qsort(baseline->items, baseline->n_items, sizeof(*baseline->items),
			compare_baseline_entries);
	for (size_t i = 0; i < baseline->n_items; i++) {
		if (n && !compare_keys(&baseline->items[n - 1], &baseline->items[i]))
			merge_entries(&baseline->items[n - 1], &baseline->items[i]);
		else
			baseline->items[n++] = baseline->items[i];
	}
	baseline->n_items = baseline->n_sorted = n;
}

/* The first of the file's entries whose target does not sort before target. */
static size_t first_of(const struct baseline *baseline, const char *target)
{
	size_t low = 0, high = baseline->n_sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(baseline->items[middle].target, target) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- a target --- */

/* A scan of one target: its entries in the file, and those added for it. The call sites of one key
 * are one target, which is scanned in parts: their findings add up. */
struct target_scan {
	struct baseline *baseline;
	const struct fact_target *target;
	const char *key;
	size_t first, end, added;
};

/* The entries of the scan: first to end, then those added. */
static size_t first_of_scan(const struct target_scan *scan)
{
	return scan->first < scan->end ? scan->first : scan->added;
}

static size_t next_of_scan(const struct target_scan *scan, size_t i)
{
	return i + 1 == scan->end ? scan->added : i + 1;
}

static struct baseline_entry *find_in_scan(
	const struct target_scan *scan, const char *rule, const char *field)
{
	struct baseline *baseline = scan->baseline;

	for (size_t i = first_of_scan(scan); i < baseline->n_items; i = next_of_scan(scan, i))
		if (!strcmp(baseline->items[i].rule, rule) &&
			!strcmp(baseline->items[i].field, field) &&
			!strcmp(baseline->items[i].target, scan->key))
			return &baseline->items[i];
	return NULL;
}

static struct baseline_entry *add_to_scan(
	const struct target_scan *scan, const char *rule, const char *field)
{
	struct arena *arena = &scan->baseline->arena;
	const struct baseline_entry entry = {
		.target = arena_copy(arena, scan->key, strlen(scan->key)),
		.rule = arena_copy(arena, rule, strlen(rule)),
		.field = arena_copy(arena, field, strlen(field)),
		.is_judged = true,
	};

	return baseline_add(scan->baseline, &entry);
}

/* Whether the baseline lists the finding. */
static bool take_finding(const struct target_scan *scan, const struct fact_finding *finding)
{
	const char *field = fact_text_or(finding->field, "");
	bool adds = scan->baseline->updates && scan->target->status == STATUS_OK;
	struct baseline_entry *entry;

	if (finding->severity < scan->baseline->from)
		return false;
	entry = find_in_scan(scan, finding->rule, field);
	if (!entry && adds)
		entry = add_to_scan(scan, finding->rule, field);
	if (entry && ++entry->here > entry->found)
		entry->found = entry->here;
	if (!entry || (entry->here > entry->count && !adds)) {
		scan->baseline->n_new++;
		return false;
	}
	scan->baseline->n_new += entry->here > entry->count;
	scan->baseline->n_known++;
	return true;
}

/* Ends a scan: if the rule was checked, the scan found all of its findings. Added entries are
 * checked already. */
static void end_scan(const struct target_scan *scan, const struct fact_skip_list *skipped)
{
	struct baseline *baseline = scan->baseline;

	for (size_t i = scan->first; i < scan->end; i++) {
		struct baseline_entry *entry = &baseline->items[i];

		if (!scan->target->call_site.present)
			entry->here = 0;
		entry->is_judged |= scan->target->status == STATUS_OK &&
				    !rules_was_skipped(skipped, entry->rule) &&
				    rules_reports(baseline->selection, rule_find(entry->rule),
					    scan->target, baseline->from);
	}
}

/* A target's name as the file has it: relative to the directory of the file, and text that YAML can
 * contain. */
static const char *file_key(const struct baseline *baseline, struct arena *arena, const char *name)
{
	const char *relative =
		target_name_relative(arena, value_text_unescape(arena, name), baseline->directory);
	struct text key = { 0 };
	const char *copy;

	escape_text(&key, relative, strlen(relative), ESCAPE_INVALID);
	copy = arena_copy(arena, key.bytes ? key.bytes : "", key.n_bytes);
	text_free(&key);
	return copy;
}

struct fact_finding_list baseline_take(struct baseline *baseline, struct arena *arena,
	const struct fact_target *target, struct rule_results *results)
{
	struct fact_finding_list *findings = &results->findings, known = { .known = true };
	struct target_scan scan = {
		.baseline = baseline, .target = target, .added = baseline->n_items
	};
	size_t n_left = 0;

	scan.key = file_key(baseline, arena,
		target->call_site.present ? call_site_key(arena, &target->call_site)
					  : fact_text_or(target->target, "?"));
	if (target->call_site.present)
		scan.added = baseline->n_sorted;
	scan.first = first_of(baseline, scan.key);
	scan.end = scan.first;
	while (scan.end < baseline->n_sorted && !strcmp(baseline->items[scan.end].target, scan.key))
		scan.end++;
	for (size_t i = 0; i < findings->n_items; i++) {
		if (take_finding(&scan, &findings->items[i]))
			*FACT_LIST_ADD(arena, &known) = findings->items[i];
		else
			findings->items[n_left++] = findings->items[i];
	}
	findings->n_items = n_left;
	baseline->n_left_out += target->status != STATUS_OK;
	end_scan(&scan, &results->skipped);
	return known;
}

/* --- a module --- */

/* Whether an expression is a name that the search of a module covers. */
static bool is_public_name(const char *expression)
{
	return is_identifier(expression) && *expression != '_';
}

static bool is_found_target(const struct fact_module_result *module, const char *name)
{
	bool is_found = false;

	for (size_t i = 0; i < module->targets.n_items && !is_found; i++) {
		const struct fact_found_target *target = &module->targets.items[i];

		is_found =
			fact_text_is(target->name, name) || fact_texts_have(&target->aliases, name);
	}
	return is_found;
}

/* Whether the search of a module finds every object of which the rule could have a finding: not by
 * a buffer, which alone makes no target, nor by what no protocol exposes. */
static bool is_searched_for(const struct rule *rule, const struct option_list *chosen)
{
	if (!rule || !rule->protocols || rule_covers_protocol(rule, buffer_protocol.name))
		return false;
	for (size_t i = 0; protocols[i]; i++) {
		bool is_chosen = !chosen->n_items;

		for (size_t k = 0; k < chosen->n_items; k++)
			is_chosen |= !strcmp(chosen->items[k], protocols[i]->name);
		if (!is_chosen && rule_covers_protocol(rule, protocols[i]->name))
			return false;
	}
	return true;
}

void baseline_take_module(struct baseline *baseline, const char *label,
	const struct fact_module_result *module, const struct option_list *chosen)
{
	struct arena arena = { 0 };
	const char *key = file_key(baseline, &arena, label);
	const char *prefix = arena_printf(&arena, "%s:", key);
	size_t n_prefix = strlen(prefix);

	for (size_t i = first_of(baseline, prefix);
		i < baseline->n_sorted && module->names.n_items < MESSAGE_MAX_NAMES; i++) {
		struct baseline_entry *entry = &baseline->items[i];
		const char *name = entry->target + n_prefix;

		if (strncmp(entry->target, prefix, n_prefix) != 0)
			break;
		entry->is_judged |= is_public_name(name) && !is_found_target(module, name) &&
				    (!fact_texts_have(&module->names, name) ||
					    is_searched_for(rule_find(entry->rule), chosen));
	}
	arena_free(&arena);
}

/* --- the baseline --- */

int64_t baseline_kept(const struct baseline_entry *entry)
{
	return entry->is_judged || entry->found > entry->count ? entry->found : entry->count;
}

void baseline_close(struct baseline *baseline)
{
	free(baseline->items);
	arena_free(&baseline->arena);
	*baseline = (struct baseline){ 0 };
}
