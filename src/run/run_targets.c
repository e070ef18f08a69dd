// SPDX-License-Identifier: MIT
/* Runs sources in order and prints a document for each target. */
#include "run/run_targets.h"

#include "base/progress.h"
#include "base/words.h"
#include "documents/document.h"
#include "formats/format.h"
#include "output/notice.h"
#include "output/result_file.h"
#include "protocols/protocol.h"
#include "run/consumer_outcome.h"
#include "run/pieces.h"
#include "run/run_inputs.h"
#include "run/trials.h"
#include "targets/dump.h"
#include "targets/name_hints.h"
#include "targets/npy_file.h"
#include "targets/target_name.h"
#include "targets/targets.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The time limit of a case of --consumer, if that of the target is longer. */
enum { CONSUMER_LIMIT_SECONDS = 10 };

/* The state of one run. */
struct run_state {
	struct run *run;
	const struct format *format;
	struct result_file file;
	struct format_output output;
	const struct job_modules *modules; /* of the current session */
	struct trial_queue queue;          /* its targets, if trials follow */
	struct fact_module_result
		found; /* the module whose found targets are being received; null: none */
	struct arena found_arena;
	size_t n_found_shown; /* those of them that expose something */
	enum exit_code code;
	struct run_counts counts;
	struct piece_collector pieces;
	struct consumer_outcome consumer;
	struct fact_texts last_notices; /* for standard error, after the results */
	int64_t n_waiting;              /* finished targets that wait to be printed */
	struct progress targets;
	struct progress trials; /* after them */
	struct progress work;   /* of one target that takes long: the bytes copied */
	bool shares_terminal;   /* output goes to the terminal that shows the progress */
};

/* A target with only the outcome of its module. */
static struct fact_target bare_target(
	struct arena *arena, const char *name, const struct fact_module_result *module)
{
	struct fact_target target = { .present = true,
		.target = value_text_escaped(arena, name)->bytes,
		.status = module->status,
		.buffers = module->buffers };

	if (module->stopped_at)
		target.stopped_at =
			arena_copy(arena, module->stopped_at, strlen(module->stopped_at));
	if (module->step)
		target.step = arena_copy(arena, module->step, strlen(module->step));
	fact_copy(&fact_error_record, arena, &module->error, &target.error);
	fact_copy(&fact_instead_record, arena, &module->instead, &target.instead);
	return target;
}

/* A file that could not be read is a missing target. */
static struct fact_target unreadable_target(
	struct arena *arena, const char *path, const struct err *why)
{
	return (struct fact_target){ .present = true,
		.target = value_text_escaped(arena, path)->bytes,
		.status = why->code == EXIT_UNAVAILABLE ? STATUS_UNAVAILABLE : STATUS_MISSING,
		.step = "read",
		.error = { .present = true,
			.message = value_text_escaped(arena, why->message)->bytes } };
}

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

static void show_progress(struct run_state *state)
{
	uint64_t n_queued = state->queue.n_items;

	if (!state->trials.unit)
		progress_set(&state->targets,
			(uint64_t)(state->counts.targets + state->n_waiting) + n_queued);
}

/* One line at a time: the bytes of a long copy replace the count of targets. */
static void show_work(void *context, const char *step, uint64_t done_bytes, uint64_t total_bytes)
{
	struct run_state *state = context;
	const char *doing = !strcmp(step, "verify") ? "comparing"
			    : !strcmp(step, "read") ? "reading"
						    : "copying";

	if (!total_bytes) {
		progress_end(&state->work);
		return;
	}
	progress_begin_bytes(&state->work, !state->run->settings->quiet, total_bytes, doing);
	progress_hide(&state->targets);
	progress_set(&state->work, done_bytes);
}

/* Names the import or the target under way. */
static void show_position(void *context, size_t index, int32_t target)
{
	struct run_state *state = context;
	const struct job_module *module = state->modules->items[index];
	const struct fact_found_target_list *found = &state->found.targets;
	const bool is_found = found->known && state->found.module.value == (int64_t)index;
	const char *expression = NULL;
	struct arena arena = { 0 };

	if (state->work.is_on)
		return;
	if (target >= 0 && is_found && (size_t)target < found->n_items)
		expression = found->items[target].name;
	else if (target >= 0 && !is_found && (size_t)target < module->expressions.n_items)
		expression = module->expressions.items[target];
	progress_name(&state->targets, expression ? job_target_name(&arena, module, expression)
				       : target < 0
					       ? arena_printf(&arena, "importing %s", module->label)
					       : module->label);
	arena_free(&arena);
}

/* Prints a target; context is the run_state. */
static int take_target(
	void *context, struct arena *arena, struct fact_target *target, struct err *err)
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
	show_progress(state);
	return status;
}

/* A target of the current session, which may have trials: these run after the session, and the
 * targets are printed in order. May take arena, which holds the target; module is NULL if it has no
 * trials. */
static int take_session_target(struct run_state *state, struct arena *arena,
	struct fact_target *target, const struct job_module *module, struct err *err)
{
	if (!trials_requested(state->run))
		return take_target(state, arena, target, err);
	trials_queue(&state->queue, arena, target, module);
	show_progress(state);
	return 0;
}

/* The file as the user would name it; without one that of the module. */
static void name_source(
	struct arena *arena, const struct job_module *module, struct fact_source *source)
{
	if (!source->present &&
		(module->kind == JOB_MODULE_FILE || module->kind == JOB_MODULE_NOTEBOOK))
		*source = (struct fact_source){ .present = true, .file = module->name };
	else if (source->file && module->kind == JOB_MODULE_DOTTED)
		source->file = target_name_from(arena, source->file, "");
}

static struct name_hint_run hint_run(const struct run_state *state)
{
	/* convert does nothing without further options. */
	return (struct name_hint_run){ .command = state->run->job.convert ? "convert ..."
									  : state->run->command,
		.python = state->run->settings->python,
		.as_main = state->run->settings->as_main };
}

static void explain_module(const struct run_state *state, struct arena *arena,
	enum target_status status, const char *step, struct fact_error *error,
	const struct job_module *module)
{
	const struct name_hint_run run = hint_run(state);

	name_hints_explain_module(arena, status, step, error, module, &run);
}

/* The module of a message; the session checked the index. */
static const struct job_module *module_at(const struct run_state *state, struct fact_int index)
{
	return state->modules->items[index.value];
}

/* A target that the session did not report, with the outcome of its module. */
static int take_bare_target(struct run_state *state, const char *name,
	const struct fact_module_result *result, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target = bare_target(&arena, name, result);
	int status;

	name_source(&arena, module_at(state, result->module), &target.source);
	status = take_session_target(state, &arena, &target, NULL, err);
	arena_free(&arena);
	return status;
}

enum { MAX_NAMES = 8 };

/* A user who checks a whole module would take the objects omitted for checked ones. */
static void note_omitted(struct run_state *state, const struct job_module *module,
	const struct fact_module_result *result)
{
	const struct fact_texts *names = &result->without_interface;
	struct arena *arena = state->run->arena;
	const char *list = "", *target;

	if (!names->n_items || state->run->settings->quiet)
		return;
	for (size_t i = 0; i < names->n_items && i < MAX_NAMES; i++)
		list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", names->items[i]);
	if (names->n_items > MAX_NAMES)
		list = arena_printf(arena, "%s and %zu more", list, names->n_items - MAX_NAMES);
	target = words_quote(arena, job_target_name(arena, module, names->items[0]));
	fact_texts_add(arena, &state->last_notices,
		arena_printf(arena,
			"%s: omitted %s, which expose%s no interface; try: suai inspect %s",
			module->label, list, names->n_items == 1 ? "s" : "", target));
}

/* A script may define all its arrays below `if __name__ == "__main__"`. */
static void note_main_names(struct run_state *state, const struct job_module *module,
	const struct fact_module_result *result)
{
	struct arena *arena = state->run->arena;
	const char *names;

	if (module->kind != JOB_MODULE_FILE || state->run->settings->as_main ||
		state->run->settings->quiet)
		return;
	names = name_hints_main_names(arena, module, &result->names);
	if (names)
		fact_texts_add(arena, &state->last_notices,
			arena_printf(arena,
				"%s: defines %s only as __main__; try: suai %s --main %s",
				module->label, names, hint_run(state).command,
				words_quote(arena, module->label)));
}

static void print_notices(
	struct run_state *state, const struct job_module *module, const struct fact_texts *notices)
{
	if (notices->n_items)
		progress_hide(&state->targets);
	for (size_t i = 0; i < notices->n_items; i++)
		notice("%s: %s", module->label, notices->items[i]);
}

/* If a module could not be imported, each target named in it fails; if it is empty, it exposes
 * nothing. A notebook that failed at a later cell fails, and so may the objects of earlier cells.
 * May take arena, which holds the result. */
static int take_module(struct run_state *state, struct arena *arena,
	struct fact_module_result *result, struct err *err)
{
	const struct job_module *module = module_at(state, result->module);
	const struct job_words *named = &module->expressions;
	bool failed = result->status != STATUS_OK;
	bool is_partial = !failed && result->error.present;
	struct arena names = { 0 };
	int status = 0;

	name_source(arena, module, &result->source);
	explain_module(state, arena, result->status, result->step, &result->error, module);
	if (!state->run->settings->quiet)
		print_notices(state, module, &result->skipped_lines);
	print_notices(state, module, &result->notices);
	note_omitted(state, module, result);
	if (!failed && !module->all_objects && !result->targets.known)
		return 0;
	if (!failed && state->run->why_one && result->targets.n_items > 1)
		return err_set(err, EXIT_USAGE, "%s", state->run->why_one);
	if (!failed && module->all_objects && state->run->on_module)
		state->run->on_module(state->run, module->label, result);
	if (is_partial) {
		struct fact_module_result rest = *result;

		rest.status = STATUS_RAISED;
		progress_grow(&state->targets, result->targets.n_items > 0);
		status = take_bare_target(state, module->label, &rest, err);
		if (status || !result->targets.n_items)
			return status;
	}
	if (!failed && result->targets.n_items) {
		arena_free(&state->found_arena);
		state->found_arena = *arena;
		*arena = (struct arena){ 0 };
		state->found = *result;
		state->n_found_shown = 0;
		/* All objects counted as one, in addition to the expressions. */
		progress_grow(&state->targets,
			result->targets.n_items - module->all_objects - named->n_items);
		return 0;
	}
	if (module->all_objects && !failed)
		note_main_names(state, module, result);
	if (module->all_objects)
		status = take_bare_target(state, module->label, result, err);
	if (job_has_consumer(&state->run->job))
		return take_bare_target(state, state->run->job.consumer.spelled, result, err);
	for (size_t i = 0; i < named->n_items && !status; i++)
		status = take_bare_target(
			state, job_target_name(&names, module, named->items[i]), result, err);
	arena_free(&names);
	return status;
}

/* The target of a .npy file has the file's name. */
static void name_npy(const struct run_state *state, struct fact_target *target)
{
	const struct job_module *module = module_at(state, target->module);

	if (module->kind != JOB_MODULE_NPY)
		return;
	target->target = module->label;
	target->type = ".npy file";
}

/* Whether a target that no argument names exposes nothing or only a buffer: its type has
 * properties that raise AttributeError. */
static bool exposes_nothing(const struct run_state *state, const struct fact_target *target)
{
	const struct fact_found_target_list *found = &state->found.targets;
	bool reads_buffers = state->run->settings->protocols.n_items > 0;
	size_t index = (size_t)target->index.value;

	if (!module_at(state, target->module)->all_objects ||
		(index < found->n_items && found->items[index].named == ANSWER_YES) ||
		target->status != STATUS_OK || target->copy.present || !target->interfaces.known)
		return false;
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (reads_buffers ||
			protocol_of_interface(&target->interfaces.items[i]) != &buffer_protocol)
			return false;
	return true;
}

/* Skips the target; if it is the last of a module of such objects, the module exposes nothing. */
static int skip_found_target(
	struct run_state *state, const struct fact_target *target, struct err *err)
{
	if (state->n_found_shown ||
		(size_t)target->index.value + 1 < state->found.targets.n_items ||
		!state->found.targets.known)
		return 0;
	return take_bare_target(state, module_at(state, target->module)->label, &state->found, err);
}

static int take_reported_target(
	struct run_state *state, struct arena *arena, struct fact_target *target, struct err *err)
{
	const struct job_module *module = module_at(state, target->module);
	const struct name_hint_run run = hint_run(state);

	name_npy(state, target);
	name_source(arena, module, &target->source);
	if (target->status == STATUS_MISSING)
		name_hints_explain(arena, target, module, &run);
	explain_module(state, arena, target->status, target->step, &target->error, module);
	if (exposes_nothing(state, target))
		return skip_found_target(state, target, err);
	state->n_found_shown++;
	return take_session_target(state, arena, target, module, err);
}

static int on_session_message(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	if (message->kind == MESSAGE_MODULE)
		return take_module(context, arena, &message->module, err);
	if (message->kind == MESSAGE_TARGET)
		return take_reported_target(context, arena, &message->target, err);
	return 0;
}

/* With several workers, a target may be finished before its turn to be printed. */
static void on_waiting(void *context, int n)
{
	struct run_state *state = context;

	state->n_waiting += n;
	if (n > 0)
		show_progress(state);
}

/* The dump of a piece contains one target. If it cannot be read, the piece has a place all the
 * same. */
static int take_listed_piece(
	struct run_state *state, const struct piece_entry *entry, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	struct dump dump;
	int status = dump_open(&dump, &arena, entry->path, err);

	if (!status && dump.n_targets != 1)
		status = err_set(err, EXIT_USAGE, "'%s': expected a dump of one target, got %s",
			entry->path,
			dump.n_targets ? arena_printf(&arena, "%zu", dump.n_targets)
				       : "a list of pieces");
	if (status || !dump_next(&dump, &arena, &target))
		target = unreadable_target(&arena, entry->path, err);
	target.piece = entry->piece;
	status = take_target(state, &arena, &target, err);
	dump_close(&dump);
	arena_free(&arena);
	return status;
}

static int take_list(
	struct run_state *state, const char *path, const struct piece_list *list, struct err *err)
{
	int status = 0;

	if (!state->run->pieces)
		return err_set(err, EXIT_USAGE,
			"'%s' is a list of pieces, which requires validate --pieces", path);
	progress_grow(&state->targets, list->n_items - 1);
	for (size_t i = 0; !status && i < list->n_items; i++)
		status = take_listed_piece(state, &list->items[i], err);
	return status;
}

static int take_dumped_targets(struct run_state *state, struct dump *dump, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	int status = 0;

	progress_grow(&state->targets, dump->n_targets - 1);
	while (!status && dump_next(dump, &arena, &target)) {
		/* An array in the dump of an earlier run is made again. */
		if (!state->run->pieces || !target.pieces.known)
			status = take_target(state, &arena, &target, err);
		arena_free(&arena);
	}
	arena_free(&arena);
	return status;
}

/* If the file cannot be read, the other sources still run. */
static int take_dump(struct run_state *state, const char *path, struct err *err)
{
	struct fact_target unreadable;
	struct arena arena = { 0 };
	struct dump dump;
	int status;

	if (dump_open(&dump, &arena, path, err)) {
		unreadable = unreadable_target(&arena, path, err);
		status = take_target(state, &arena, &unreadable, err);
	} else if (dump.list.n_items) {
		status = take_list(state, path, &dump.list, err);
	} else {
		status = take_dumped_targets(state, &dump, err);
	}
	dump_close(&dump);
	arena_free(&arena);
	return status;
}

static int take_array(void *context, struct fact_target *array, struct err *err)
{
	struct run_state *state = context;
	struct arena arena = { 0 };
	int status;

	progress_grow(&state->targets, 1);
	status = take_target(state, &arena, array, err);
	arena_free(&arena);
	return status;
}

static int take_npy(struct run_state *state, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	int status;

	if (npy_file_read(&arena, path, &target, err))
		target = unreadable_target(&arena, path, err);
	status = take_target(state, &arena, &target, err);
	arena_free(&arena);
	return status;
}

/* A consumer that accepts nothing fails. */
static int report_consumer(struct run_state *state, struct err *err)
{
	const char *unchecked = consumer_outcome_unchecked(&state->consumer);
	struct fact_target target;

	if (unchecked)
		fact_texts_add(&state->consumer.arena, &state->last_notices, unchecked);
	if (!consumer_outcome_fails(&state->consumer, state->run->job.consumer.spelled, &target))
		return 0;
	progress_grow(&state->targets, 1);
	return take_target(state, &state->consumer.arena, &target, err);
}

/* The count of trials replaces the count of targets. */
static int run_trials(struct run_state *state, struct err *err)
{
	const struct trial_receiver receiver = { take_target, state };
	int status;

	progress_hide(&state->targets);
	state->trials = state->targets;
	status = trials_run(state->run, &state->queue, &state->trials, &receiver, err);
	progress_end(&state->trials);
	state->trials = (struct progress){ 0 };
	return status;
}

/* Runs a session over modules, then one of the trials of their targets. */
static int run_modules(struct run_state *state, const struct job_modules *modules,
	struct session_options options, struct err *err)
{
	struct session session = { .options = options,
		.on_message = on_session_message,
		.on_waiting = on_waiting,
		.on_work = show_work,
		.on_position = show_position,
		.context = state };
	const struct trial_receiver receiver = { take_target, state };
	int status;

	if (job_has_consumer(&state->run->job))
		session.options.step_timeout_seconds = CONSUMER_LIMIT_SECONDS;
	state->modules = modules;
	status = run_session(state->run, modules, &session, err);
	if (!status && state->queue.n_items)
		status = run_trials(state, err);
	else if (status)
		trials_abandon(state->run, &state->queue, &receiver);
	trials_free(&state->queue);
	return status;
}

/* FILE.npy as a live object: the only target of a module. */
static int run_npy(struct run_state *state, const char *path, struct err *err)
{
	struct arena *arena = state->run->arena;
	struct job_module module = { .kind = JOB_MODULE_NPY, .all_objects = true };
	struct job_modules modules = { 0 };

	module.name = module.label = value_text_escaped(arena, path)->bytes;
	job_modules_add(arena, &modules, &module);
	return run_modules(state, &modules, (struct session_options){ 0 }, err);
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
			status = run_modules(state, &source->modules, options, err);
		else if (source->kind == SOURCE_DUMP)
			status = take_dump(state, source->path, err);
		else if (!state->run->from_dumps)
			status = run_npy(state, source->path, err);
		else
			status = take_npy(state, source->path, err);
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
		/* A document that ends would claim that nothing else was found. */
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

int run_targets(struct run *run, const struct option_list *operands, struct err *err)
{
	struct run_state state = { .run = run, .format = format_find(run->settings->format) };
	const struct target_words words = { .operands = operands,
		.files = &run->settings->target_files,
		.code = run->settings->code,
		.arguments = &run->settings->arguments };
	struct source_list *sources = arena_alloc(run->arena, sizeof(*sources));
	int status = -1;

	if (run->sources)
		*sources = *run->sources;

	if (run->settings->jobs < 0)
		return err_set(err, EXIT_USAGE,
			"--jobs: expected a number of workers, or 0 for one per core");
	if (!run->sources && targets_parse(run->arena, &words, sources, err))
		return -1;
	if (run->why_one && targets_count(sources) > 1)
		return err_set(err, EXIT_USAGE, "%s", run->why_one);
	run->sources = sources;
	run->job.as_main = run->settings->as_main;
	for (size_t i = 0; i < words.arguments->n_items; i++)
		job_words_add(run->arena, &run->job.arguments,
			value_text_escaped(run->arena, words.arguments->items[i])->bytes);
	if (run_check_output(run, "-o", run->data_path, err) ||
		(run->updates_baseline &&
			run_check_output(run, "--baseline", run->baseline_path, err)))
		return -1;
	if (run_open_output(run, run->settings->output_path, &state.file, &state.output, err))
		return -1;
	progress_begin(&state.targets, !run->settings->quiet, targets_count(sources), "targets");
	state.targets.is_untimed = true;
	state.shares_terminal = run->print || isatty(fileno(state.output.stream));
	if (print_all(&state, sources, err)) {
		result_file_fail(&state.file, err);
		goto out;
	}
	if (result_file_commit(&state.file, err))
		goto out;
	if (state.output.beside.code)
		*err = state.output.beside;
	else
		status = (int)state.code;
out:
	arena_free(&state.found_arena);
	arena_free(&state.pieces.arena);
	progress_end(&state.work);
	progress_end(&state.targets);
	for (size_t i = 0; i < state.last_notices.n_items; i++)
		notice("%s", state.last_notices.items[i]);
	arena_free(&state.consumer.arena);
	result_file_close(&state.file);
	return status;
}
