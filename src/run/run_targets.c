// SPDX-License-Identifier: MIT
/* Runs sources in order and prints a document for each target. */
#include "run/run_targets.h"

#include "documents/document.h"
#include "output/notice.h"
#include "run/run_inputs.h"
#include "run/run_state.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum exit_code status_code(const struct fact_target *target)
{
	if (target->status == STATUS_RAISED && target->exit_code.known)
		return (enum exit_code)target->exit_code.value;
	if (target->status == STATUS_OK || target->status == STATUS_NULL)
		return EXIT_DONE;
	if (target->status == STATUS_MISSING)
		return EXIT_USAGE;
	return target->status == STATUS_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_TARGET;
}

static void count_target(
	struct run_state *state, const struct fact_target *target, enum exit_code code)
{
	struct run_counts *counts = &state->counts;

	counts->targets++;
	counts->failed_targets += code != EXIT_DONE;
	counts->skipped += (int64_t)target->skipped.n_items;
	counts->ignored += (int64_t)target->ignored.n_items;
	for (size_t i = 0; i < target->findings.n_items; i++) {
		enum severity severity = target->findings.items[i].severity;

		counts->errors += severity == SEVERITY_ERROR;
		counts->warnings += severity == SEVERITY_WARNING;
		counts->notes += severity == SEVERITY_NOTE;
	}
}

void run_show_progress(struct run_state *state)
{
	uint64_t n_queued = state->queue.n_items;

	if (!state->trials.unit)
		progress_set(&state->targets,
			(uint64_t)(state->counts.targets + state->n_waiting) + n_queued);
}

int run_take_target(void *context, struct arena *arena, struct fact_target *target, struct err *err)
{
	struct run_state *state = context;
	struct run *run = state->run;
	enum exit_code code;
	int status;

	document_derive(arena, target);
	if (run->pieces && !target->pieces.known)
		pieces_add(&state->pieces, target);
	code = status_code(target);
	if (run->on_target && run->on_target(run, arena, target, &code, err))
		return -1;
	if (target->consumption.present)
		consumer_outcome_add(&state->consumer, &target->consumption, &target->findings);
	progress_end(&state->work);
	if (state->shares_terminal)
		progress_hide(state->trials.unit ? &state->trials : &state->targets);
	if (run->print)
		status = run->print(run, state->file.stream, target, &code, err);
	else
		status = state->format->target(&state->output, target, err);
	count_target(state, target, code);
	state->code = exit_code_worse(state->code, code);
	run_show_progress(state);
	return status;
}

static int take_array(void *context, struct fact_target *array, struct err *err)
{
	struct run_state *state = context;
	struct arena arena = { 0 };
	int status;

	progress_grow(&state->targets, 1);
	status = run_take_target(state, &arena, array, err);
	arena_free(&arena);
	return status;
}

/* Reports a consumer that accepts no valid tensor as failed. */
static int report_consumer(struct run_state *state, struct err *err)
{
	const char *unchecked = consumer_outcome_unchecked(&state->consumer);
	struct fact_target target;

	if (unchecked)
		fact_texts_add(&state->consumer.arena, &state->last_notices, unchecked);
	if (!consumer_outcome_fails(&state->consumer, state->run->job.consumer.spelled, &target))
		return 0;
	progress_grow(&state->targets, 1);
	return run_take_target(state, &state->consumer.arena, &target, err);
}

static int check_sources(const struct run *run, const struct source_list *sources, struct err *err)
{
	const char *what = run->job.read.values     ? "--values"
			   : run->job.read.stats    ? "--stats"
			   : run->job.read.checksum ? "--checksum"
						    : run->command;

	for (size_t i = 0; i < sources->n_items; i++)
		if (sources->items[i].kind == SOURCE_DUMP && !run->from_dumps)
			return err_set(err, EXIT_USAGE,
				"'%s' is a dump, which contains no elements: %s requires the object itself",
				sources->items[i].path, what);
		else if (sources->items[i].kind != SOURCE_DUMP && run->pieces)
			return err_set(err, EXIT_USAGE,
				"--pieces: '%s' is not a dump; expected captures, FILE.yaml or a list of pieces",
				sources->items[i].path ? sources->items[i].path
						       : sources->items[i].modules.items[0]->label);
	return 0;
}

static int take_sources(struct run_state *state, const struct source_list *sources, struct err *err)
{
	/* Sources that need no interpreter are read even if there is none. */
	const struct session_options options = { .stdin_is_input = sources->reads_stdin,
		.goes_on = sources->n_items > 1 };
	int status = check_sources(state->run, sources, err);

	for (size_t i = 0; i < sources->n_items && !status; i++) {
		const struct source *source = &sources->items[i];

		if (source->kind == SOURCE_PYTHON)
			status = run_take_modules(state, &source->modules, options, err);
		else if (source->kind == SOURCE_DUMP)
			status = run_take_dump(state, source->path, err);
		else if (!state->run->from_dumps)
			status = run_take_npy_object(state, source->path, err);
		else
			status = run_take_npy_header(state, source->path, err);
	}
	if (status || report_consumer(state, err))
		return -1;
	return pieces_report(&state->pieces, take_array, state, err);
}

static int print_all(struct run_state *state, const struct source_list *sources, struct err *err)
{
	struct run *run = state->run;
	struct fact_summary summary;
	struct fact_head head;
	struct err ignored;
	int status;

	if (run->print) {
		status = take_sources(state, sources, err);
		progress_end(&state->targets);
		if (!status && run->finish)
			status = run->finish(run, &state->output, &state->counts, err);
		return status;
	}
	head = run_document_head(run);
	if (state->format->begin(&state->output, &head, err))
		return -1;
	status = take_sources(state, sources, err);
	progress_end(&state->targets);
	if (status && !state->format->keeps_partial) {
		/* A complete document would claim that nothing else was found. */
		state->format->end(&state->output, NULL, &ignored);
		return status;
	}
	state->output.is_partial = status != 0;
	state->output.no_summary |= status != 0; /* a partial result has no summary */
	summary = run_summary(run, &state->counts);
	if (state->format->end(&state->output, &summary, status ? &ignored : err))
		return -1;
	return status;
}

/* Sets the sources of the run, and the fields of its job that depend on them. */
static int set_sources(struct run *run, const struct option_list *operands, struct err *err)
{
	const struct target_words words = { .operands = operands,
		.files = &run->settings->target_files,
		.code = run->settings->code,
		.arguments = &run->settings->arguments };
	struct source_list *sources = arena_alloc(run->arena, sizeof(*sources));

	if (!run->sources && targets_parse(run->arena, &words, sources, err))
		return -1;
	if (!run->sources)
		run->sources = sources;
	if (run->why_one && targets_count(run->sources) > 1)
		return err_set(err, EXIT_USAGE, "%s", run->why_one);
	run->job.as_main = run->settings->as_main;
	for (size_t i = 0; i < words.arguments->n_items; i++)
		job_words_add(run->arena, &run->job.arguments,
			value_text_escaped(run->arena, words.arguments->items[i])->bytes);
	return 0;
}

static void free_state(struct run_state *state)
{
	arena_free(&state->found_arena);
	arena_free(&state->pieces.arena);
	progress_end(&state->work);
	progress_end(&state->targets);
	for (size_t i = 0; i < state->last_notices.n_items; i++)
		notice("%s", state->last_notices.items[i]);
	arena_free(&state->consumer.arena);
	result_file_close(&state->file);
}

int run_targets(struct run *run, const struct option_list *operands, struct err *err)
{
	struct run_state state = { .run = run, .format = format_find(run->settings->format) };
	int status = -1;

	if (set_sources(run, operands, err) || run_check_output(run, "-o", run->data_path, err) ||
		(run->updates_baseline &&
			run_check_output(run, "--baseline", run->baseline_path, err)) ||
		run_open_output(run, run->settings->output_path, &state.file, &state.output, err))
		return -1;
	progress_begin(
		&state.targets, !run->settings->quiet, targets_count(run->sources), "targets");
	state.targets.is_untimed = true;
	state.shares_terminal = run->print || isatty(fileno(state.output.stream));
	if (print_all(&state, run->sources, err))
		result_file_fail(&state.file, err);
	else if (!result_file_commit(&state.file, err))
		status = (int)state.code;
	if (status >= 0 && state.output.beside.code) {
		*err = state.output.beside;
		status = -1;
	}
	free_state(&state);
	return status;
}
