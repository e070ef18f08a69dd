// SPDX-License-Identifier: MIT
/* Counts findings by rule and prints the counts instead of the findings. */
#include "findings/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *row_text(const struct value *row, const char *key)
{
	return value_text_or(value_get(row, key), "?");
}

static struct value *find_statistic(struct value *rows, const struct fact_finding *finding)
{
	for (size_t i = 0; i < rows->n_items; i++)
		if (!strcmp(row_text(rows->items[i], "rule"), finding->rule) &&
			!strcmp(row_text(rows->items[i], "severity"),
				severity_name(finding->severity)))
			return rows->items[i];
	return NULL;
}

void statistics_add(struct statistics *statistics, struct arena *arena,
	const struct fact_finding_list *findings)
{
	if (!statistics->rows)
		statistics->rows = value_list(arena);
	for (size_t i = 0; i < findings->n_items; i++) {
		const struct fact_finding *finding = &findings->items[i];
		struct value *row = find_statistic(statistics->rows, finding);

		if (!row) {
			row = value_append(arena, statistics->rows, value_map(arena));
			value_set(arena, row, "rule", value_text(arena, finding->rule));
			value_set(arena, row, "name", value_text(arena, finding->name));
			value_set(arena, row, "severity",
				value_text(arena, severity_name(finding->severity)));
			value_set(arena, row, "count", value_int(arena, 0));
		}
		((struct value *)value_get(row, "count"))->integer++;
	}
}

int statistics_hide(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	(void)out;
	(void)err;
	run_tell_failure(run, target, *code);
	return 0;
}

/* The most frequent first, then by id. */
static int compare_statistics(const void *left, const void *right)
{
	const struct value *a = *(struct value *const *)left, *b = *(struct value *const *)right;
	int64_t a_count = value_int_or(value_get(a, "count"), 0);
	int64_t b_count = value_int_or(value_get(b, "count"), 0);

	if (a_count != b_count)
		return a_count < b_count ? 1 : -1;
	return strcmp(row_text(a, "rule"), row_text(b, "rule"));
}

static int print_text(const struct value *rows, FILE *out)
{
	for (size_t i = 0; i < rows->n_items; i++)
		fprintf(out, "%7" PRId64 "  %-8s %-8s %s\n",
			value_int_or(value_get(rows->items[i], "count"), 0),
			row_text(rows->items[i], "rule"), row_text(rows->items[i], "severity"),
			row_text(rows->items[i], "name"));
	return 0;
}

int statistics_print(struct statistics *statistics, struct run *run, struct output *output,
	const struct run_counts *counts, struct err *err)
{
	struct value *rows = statistics->rows ? statistics->rows : value_list(run->arena);

	if (rows->n_items)
		qsort(rows->items, rows->n_items, sizeof(struct value *), compare_statistics);
	if (!strcmp(run->settings->format, "text"))
		return print_text(rows, output->stream);
	run->head = value_map(run->arena);
	value_set(run->arena, run->head, "statistics", rows);
	return run_print_head(run, output, counts, err);
}
