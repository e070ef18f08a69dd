// SPDX-License-Identifier: MIT
#include "commands/trace_findings.h"

#include "base/array_size.h"
#include "commands/rule_document.h"
#include "documents/call_site.h"
#include "documents/document.h"
#include "rules/engine/run.h"
#include "targets/file_ignores.h"
#include "trace/record.h"

#include <stdlib.h>
#include <string.h>

static const struct rule_request request = {
	.report_from = SEVERITY_NOTE, .fail_from = SEVERITY_WARNING, .facts = FACT_EXCHANGE
};

int trace_check_open(
	struct trace_check *check, const char *baseline_path, bool updates, struct err *err)
{
	*check = (struct trace_check){ .has_baseline = baseline_path != NULL,
		.summary = { .present = true,
			.targets = fact_int(0),
			.failed_targets = fact_int(0),
			.errors = fact_int(0),
			.warnings = fact_int(0),
			.notes = fact_int(0),
			.skipped = fact_int(0),
			.unused_ignores = { .known = true } } };
	check->selection = rules_select(&check->arena, &request, err);
	if (!check->selection)
		return -1;
	check->ignores = (struct source_ignores){
		.selection = check->selection, .facts = request.facts, .of_call_sites = true
	};
	if (!baseline_path)
		return updates ? err_set(err, EXIT_USAGE,
					 "--update-baseline requires --baseline FILE")
			       : 0;
	return baseline_open(&check->baseline, baseline_path, updates, check->selection, err);
}

void trace_check_close(struct trace_check *check)
{
	if (check->has_baseline)
		baseline_close(&check->baseline);
	source_ignores_free(&check->ignores);
	arena_free(&check->arena);
}

/* --- what was not traced --- */

#define COPY_LAYERS                                                           \
	(TRACE_LAYER_CAPSULES | TRACE_LAYER_BUFFERS | TRACE_LAYER_NUMPY_API | \
		TRACE_LAYER_RESULTS | TRACE_LAYER_EXCHANGE_API | TRACE_LAYER_ATTRIBUTES)
#define RELEASE_LAYERS                                                       \
	(TRACE_LAYER_CAPSULES | TRACE_LAYER_BUFFERS | TRACE_LAYER_DELETERS | \
		TRACE_LAYER_EXCHANGE_API)

/* The layers without which a rule may miss something. */
static const struct {
	const char *rule;
	uint32_t layers;
} rule_layers[] = {
	{ "TRC201", COPY_LAYERS },
	{ "TRC601", TRACE_LAYER_ATTRIBUTES | TRACE_LAYER_CAPSULES | TRACE_LAYER_DRIVER },
	{ "TRC701", RELEASE_LAYERS },
	{ "TRC702", RELEASE_LAYERS },
	{ "TRC703", RELEASE_LAYERS },
	{ "TRC704", TRACE_LAYER_CAPSULES },
	{ "TRC801", COPY_LAYERS },
};

uint32_t trace_rule_layers(const char *rule)
{
	for (size_t i = 0; i < ARRAY_SIZE(rule_layers); i++)
		if (!strcmp(rule_layers[i].rule, rule))
			return rule_layers[i].layers;
	return 0;
}

static void skip_rule(struct trace_check *check, struct rule_results *results, const char *rule,
	const char *reason)
{
	struct fact_skip *skip;

	for (size_t i = 0; i < results->findings.n_items; i++)
		if (fact_text_is(results->findings.items[i].rule, rule))
			return;
	skip = FACT_LIST_ADD(&check->arena, &results->skipped);
	skip->rule = rule;
	skip->reason = reason;
}

/* Skips rules without findings that lack a layer of the tracer. */
static void skip_untraced(struct trace_check *check, struct rule_results *results,
	const struct exchange_list *list, uint32_t layers)
{
	for (size_t i = 0; i < ARRAY_SIZE(rule_layers); i++)
		if (rule_layers[i].layers & ~layers)
			skip_rule(check, results, rule_layers[i].rule,
				"--without excludes a layer that the rule needs");
	if (!list->is_complete && (RELEASE_LAYERS & ~layers) == 0)
		skip_rule(check, results, "TRC701", "an interpreter was not finalized");
}

/* --- comments --- */

/* The comments of the file of the latest call site, since the next one is often in the same
 * file. */
struct file_comments {
	const char *file;            /* NULL: none */
	struct fact_ignore_list all; /* in the order of their lines */
};

static void read_file_comments(struct trace_check *check, struct file_comments *comments,
	const struct fact_call_site *site)
{
	comments->file = site->file;
	comments->all = (struct fact_ignore_list){ .known = true };
	file_ignores_read(
		&check->arena, value_text_unescape(&check->arena, site->file), &comments->all);
	if (site->in_library != ANSWER_YES)
		source_ignores_take_module(&check->ignores, site->file, &comments->all);
}

static struct fact_ignore_list comments_at(
	struct trace_check *check, const struct file_comments *comments, int64_t line)
{
	struct fact_ignore_list list = { .known = true };
	size_t low = 0, high = comments->all.n_items;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (comments->all.items[middle].line.value < line)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < comments->all.n_items && comments->all.items[low].line.value == line; low++)
		*FACT_LIST_ADD(&check->arena, &list) = comments->all.items[low];
	return list;
}

/* --- call sites --- */

static void check_call_site(struct trace_check *check, const struct exchange_list *list,
	struct fact_call_site *site, const struct file_comments *comments, uint32_t layers)
{
	struct fact_target target = call_site_target(&check->arena, site);
	struct rule_results results = rules_run(check->selection, &target, &check->arena);

	skip_untraced(check, &results, list, layers);
	if (site->file)
		target.ignores = comments_at(check, comments, site->line.value);
	site->ignored = source_ignores_take(&check->ignores, &check->arena, &target, &results);
	site->known = (struct fact_finding_list){ .known = true };
	if (check->has_baseline)
		site->known = baseline_take(&check->baseline, &check->arena, &target, &results);
	site->findings = results.findings;
	site->skipped = results.skipped;
}

static void count_findings(struct fact_summary *summary, const struct fact_call_site *site)
{
	summary->targets.value++;
	summary->failed_targets.value += site->findings.n_items > 0;
	summary->skipped.value += (int64_t)site->skipped.n_items;
	for (size_t i = 0; i < site->findings.n_items; i++) {
		enum severity severity = site->findings.items[i].severity;

		summary->errors.value += severity == SEVERITY_ERROR;
		summary->warnings.value += severity == SEVERITY_WARNING;
		summary->notes.value += severity == SEVERITY_NOTE;
	}
}

static int compare_files(const void *left, const void *right)
{
	struct exchange *const *a = left, *const *b = right;

	return strcmp(fact_text_or((*a)->site.file, ""), fact_text_or((*b)->site.file, ""));
}

void trace_check_call_sites(struct trace_check *check, struct exchange_list *list, uint32_t layers)
{
	struct exchange **sorted =
		arena_alloc(&check->arena, (list->n_items + 1) * sizeof(struct exchange *));
	struct file_comments comments = { 0 };

	for (size_t i = 0; i < list->n_items; i++)
		sorted[i] = &list->items[i];
	if (list->n_items)
		qsort(sorted, list->n_items, sizeof(*sorted), compare_files);
	for (size_t i = 0; i < list->n_items; i++) {
		struct fact_call_site *site = &sorted[i]->site;

		if (sorted[i]->transfers != TRANSFERS_NONE)
			continue;
		if (site->file && !fact_text_is(comments.file, site->file))
			read_file_comments(check, &comments, site);
		check_call_site(check, list, site, &comments, layers);
		count_findings(&check->summary, site);
	}
	check->summary.ignored = fact_int(check->ignores.n_ignored);
	check->summary.unused_ignores = source_ignores_unused(&check->ignores, &check->arena);
	if (check->has_baseline)
		check->summary.baseline = baseline_summary(&check->baseline, &check->arena);
}

/* --- reports --- */

static int write_call_sites(const struct format *format, struct format_output *output,
	const struct exchange_list *list, struct arena *arena, struct err *err)
{
	for (size_t i = 0; i < list->n_items; i++) {
		const struct fact_call_site *site = &list->items[i].site;
		struct fact_target target = call_site_target(arena, site);

		if (list->items[i].transfers != TRANSFERS_NONE)
			continue;
		target.findings = site->findings;
		target.ignored = site->ignored;
		target.known = site->known;
		target.skipped = site->skipped;
		if (format->target(output, &target, err))
			return -1;
	}
	return 0;
}

int trace_check_write(struct trace_check *check, const struct format *format,
	struct format_output *output, const struct exchange_list *list, struct err *err)
{
	const struct fact_head head = { .present = true,
		.suai = fact_int(DOCUMENT_FORMAT),
		.command = "trace",
		.rules = rule_document_list(&check->arena, check->selection) };
	int status;

	output->fail_from = request.fail_from;
	status = format->begin(output, &head, err);
	if (!status)
		status = write_call_sites(format, output, list, &check->arena, err);
	return format->end(output, status ? NULL : &check->summary, err) ? -1 : status;
}

int trace_check_end(struct trace_check *check, bool is_quiet, struct err *err)
{
	if (check->has_baseline && check->baseline.updates && baseline_write(&check->baseline, err))
		return -1;
	if (is_quiet)
		return 0;
	if (check->has_baseline)
		baseline_report(&check->baseline);
	source_ignores_report(&check->summary.unused_ignores);
	return 0;
}
