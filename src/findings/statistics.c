// SPDX-License-Identifier: MIT
/* Counts findings by rule and prints the counts instead of the findings. */
#include "findings/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct fact_statistic *find_statistic(
	const struct fact_statistic_list *statistics, const struct fact_finding *finding)
{
	for (size_t i = 0; i < statistics->n_items; i++)
		if (!strcmp(statistics->items[i].rule, finding->rule) &&
			statistics->items[i].severity == finding->severity)
			return &statistics->items[i];
	return NULL;
}

void statistics_add(struct run *run, const struct fact_finding_list *findings)
{
	for (size_t i = 0; i < findings->n_items; i++) {
		const struct fact_finding *finding = &findings->items[i];
		struct fact_statistic *statistic = find_statistic(&run->head.statistics, finding);

		if (!statistic) {
			statistic = FACT_LIST_ADD(run->arena, &run->head.statistics);
			statistic->rule = finding->rule;
			statistic->name = finding->name;
			statistic->severity = finding->severity;
			statistic->count = fact_int(0);
		}
		statistic->count.value++;
	}
}

int statistics_hide(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	(void)out;
	(void)err;
	run_report_failure(run, target, *code);
	return 0;
}

/* The most frequent first, then by id. */
static int compare_statistics(const void *left, const void *right)
{
	const struct fact_statistic *a = left, *b = right;

	if (a->count.value != b->count.value)
		return a->count.value < b->count.value ? 1 : -1;
	return strcmp(a->rule, b->rule);
}

int statistics_print(struct run *run, struct format_output *output, const struct run_counts *counts,
	struct err *err)
{
	struct fact_statistic_list *statistics = &run->head.statistics;

	statistics->known = true;
	if (statistics->n_items)
		qsort(statistics->items, statistics->n_items, sizeof(*statistics->items),
			compare_statistics);
	if (strcmp(run->settings->format, "text") != 0)
		return run_print_head(run, output, counts, err);
	for (size_t i = 0; i < statistics->n_items; i++)
		fprintf(output->stream, "%7" PRId64 "  %-8s %-8s %s\n",
			statistics->items[i].count.value, statistics->items[i].rule,
			severity_name(statistics->items[i].severity), statistics->items[i].name);
	return 0;
}
