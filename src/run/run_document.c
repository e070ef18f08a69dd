// SPDX-License-Identifier: MIT
/* The frame of a document: its head, its summary, and where it is written. */
#include "run/run.h"

#include "documents/document.h"
#include "output/notice.h"
#include "run/run_inputs.h"

#include <stdio.h>

struct value *run_document_head(struct arena *arena, const struct run *run)
{
	struct value *head = value_map(arena);

	value_set(arena, head, "suai", value_int(arena, DOCUMENT_FORMAT));
	value_set(arena, head, "command", value_text(arena, run->command));
	for (size_t i = 0; run->head && i < run->head->n_items; i++)
		value_set(arena, head, run->head->keys[i], run->head->items[i]);
	return head;
}

struct value *run_summary(const struct run *run, const struct run_counts *counts)
{
	struct arena *arena = run->arena;
	struct value *map = value_map(arena);

	value_set(arena, map, "targets", value_int(arena, counts->targets));
	value_set(arena, map, "failed_targets", value_int(arena, counts->failed_targets));
	value_set(arena, map, "errors", value_int(arena, counts->errors));
	value_set(arena, map, "warnings", value_int(arena, counts->warnings));
	value_set(arena, map, "notes", value_int(arena, counts->notes));
	value_set(arena, map, "skipped", value_int(arena, counts->skipped));
	value_set(arena, map, "baseline",
		run->baseline ? run->baseline(run, arena) : value_null(arena));
	return map;
}

int run_open_output(const struct run *run, const char *path, struct output_file *file,
	struct output *output, struct err *err)
{
	const struct shared_settings *settings = run->settings;

	if (run_check_output(run, "-o", path, err) || output_open(file, path, err))
		return -1;
	*output = (struct output){ .stream = file->stream,
		.command = run->command,
		.color = output_wants_color(file, settings->color),
		.verbosity = settings->quiet ? -1 : settings->verbose,
		.fail_from = run->fail_from,
		.has_baseline = run->baseline != NULL,
		.no_summary = run->no_summary,
		.skips_fail = run->skips_fail,
		.asks = run->job.only_step ? 0 : run->job.facts };
	return 0;
}

int run_print_head(
	struct run *run, struct output *output, const struct run_counts *counts, struct err *err)
{
	const struct format *format = format_find(run->settings->format);
	struct err ignored;
	int status = format->begin(output, run_document_head(run->arena, run), err);

	if (format->end(output, run_summary(run, counts), status ? &ignored : err))
		return -1;
	return status;
}

int run_print(struct run *run, struct err *err)
{
	const struct run_counts none = { 0 };
	struct output_file file;
	struct output output;
	int status;

	if (run_open_output(run, run->settings->output_path, &file, &output, err))
		return -1;
	status = run_print_head(run, &output, &none, err);
	if (!status)
		status = output_commit(&file, err);
	output_close(&file);
	return status;
}

void run_tell_failure(const struct run *run, const struct fact_target *target, enum exit_code code)
{
	const char *name = fact_text_or(target->target, "?");

	for (size_t i = 0; run->skips_fail && i < target->skipped.n_items; i++)
		notice("%s: skipped %s: %s", name, target->skipped.items[i].rule,
			target->skipped.items[i].reason);
	if (code != EXIT_DONE && code != EXIT_FINDINGS)
		notice("%s: %s", name, fact_text_or(target->error.message, "failed"));
}
