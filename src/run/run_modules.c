// SPDX-License-Identifier: MIT
/* Targets of modules: the messages of their session, and trials after it. */
#include "run/run_state.h"

#include "base/words.h"
#include "output/notice.h"
#include "protocols/protocol.h"
#include "targets/name_hints.h"
#include "targets/target_name.h"
#include "targets/targets.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The time limit of a case of --consumer, if that of the target is longer. */
enum { CONSUMER_LIMIT_SECONDS = 10 };

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

/* Shows the bytes of a long copy. The terminal has one line of progress: they replace the count of
 * targets. */
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

/* A target of the current session, which may have trials: these run after the session, and the
 * targets are printed in order. May take arena, which holds the target; module is NULL if it has no
 * trials. */
static int take_session_target(struct run_state *state, struct arena *arena,
	struct fact_target *target, const struct job_module *module, struct err *err)
{
	if (!trials_requested(state->run))
		return run_take_target(state, arena, target, err);
	trials_queue(&state->queue, arena, target, module);
	run_show_progress(state);
	return 0;
}

/* Gives a target without a known source the file of its module; names the file of a dotted module
 * relative to the working directory. */
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
	/* `suai convert` does nothing without further options */
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

/* Whether the module is only a directory, which Python imports as a package without names: users of
 * other tools name the directory of their tests. */
static bool is_only_directory(
	const struct job_module *module, const struct fact_module_result *result)
{
	char path[PATH_MAX];
	struct stat there;

	if (module->kind != JOB_MODULE_DOTTED || !module->all_objects || result->names.n_items ||
		stat(module->name, &there) || !S_ISDIR(there.st_mode))
		return false;
	return (size_t)snprintf(path, sizeof(path), "%s/__init__.py", module->name) <
		       sizeof(path) &&
	       stat(path, &there) != 0;
}

/* A target that the session did not report, with the outcome of its module. */
static int take_bare_target(struct run_state *state, const char *name,
	const struct fact_module_result *result, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target = bare_target(&arena, name, result);
	const struct job_module *module = module_at(state, result->module);
	int status;

	name_source(&arena, module, &target.source);
	if (target.status == STATUS_OK && is_only_directory(module, result)) {
		target.status = STATUS_MISSING;
		target.step = "import";
		target.error = (struct fact_error){ .present = true,
			.message = target_file_problem(&arena, module->name) };
	}
	status = take_session_target(state, &arena, &target, NULL, err);
	arena_free(&arena);
	return status;
}

enum { MAX_NAMES = 8 };

/* Names the objects that were omitted because they expose no interface: a user who checks a whole
 * module would otherwise assume that they were checked. */
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

/* Suggests --main for a script that defines its arrays below `if __name__ == "__main__"`. */
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

static void report_module(struct run_state *state, struct arena *arena,
	const struct job_module *module, struct fact_module_result *result)
{
	name_source(arena, module, &result->source);
	explain_module(state, arena, result->status, result->step, &result->error, module);
	if (!state->run->settings->quiet)
		print_notices(state, module, &result->skipped_lines);
	print_notices(state, module, &result->notices);
	note_omitted(state, module, result);
}

/* Keeps what the module defines until its targets are received. Takes arena, which holds the
 * result. */
static void keep_found(struct run_state *state, struct arena *arena,
	const struct job_module *module, const struct fact_module_result *result)
{
	arena_free(&state->found_arena);
	state->found_arena = *arena;
	*arena = (struct arena){ 0 };
	state->found = *result;
	state->n_found_shown = 0;
	/* "All objects" counted as one target, besides the expressions. */
	progress_grow(&state->targets,
		result->targets.n_items - module->all_objects - module->expressions.n_items);
}

/* Reports the targets of a module that sends none: its import failed or, if all objects are
 * checked, it has no targets. */
static int take_bare_targets(struct run_state *state, const struct job_module *module,
	const struct fact_module_result *result, struct err *err)
{
	const struct job_words *named = &module->expressions;
	struct arena names = { 0 };
	int status = 0;

	if (module->all_objects && result->status == STATUS_OK)
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

/* Takes the outcome of an import. If the module could not be imported, each target in it fails; an
 * empty module exposes nothing. If a later cell of a notebook failed, the notebook fails, and
 * objects of earlier cells are still checked. */
static int take_module(struct run_state *state, struct arena *arena,
	struct fact_module_result *result, struct err *err)
{
	const struct job_module *module = module_at(state, result->module);
	bool failed = result->status != STATUS_OK;
	int status;

	report_module(state, arena, module, result);
	if (!failed && !module->all_objects && !result->targets.known)
		return 0;
	if (!failed && state->run->why_one && result->targets.n_items > 1)
		return err_set(err, EXIT_USAGE, "%s", state->run->why_one);
	if (!failed && module->all_objects && state->run->on_module)
		state->run->on_module(state->run, module->label, result);
	if (!failed && result->error.present) {
		struct fact_module_result rest = *result;

		rest.status = STATUS_RAISED;
		progress_grow(&state->targets, result->targets.n_items > 0);
		status = take_bare_target(state, module->label, &rest, err);
		if (status || !result->targets.n_items)
			return status;
	}
	if (failed || !result->targets.n_items)
		return take_bare_targets(state, module, result, err);
	keep_found(state, arena, module, result);
	return 0;
}

/* Names the target of a .npy file after the file. */
static void name_npy(const struct run_state *state, struct fact_target *target)
{
	const struct job_module *module = module_at(state, target->module);

	if (module->kind != JOB_MODULE_NPY)
		return;
	target->target = module->label;
	target->type = ".npy file";
}

/* Whether a found target, which no argument names, exposes nothing or only a buffer. That happens
 * if properties of its type raise AttributeError. */
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

/* Counts targets that are finished before it is their turn to be printed, as happens with several
 * workers. */
static void on_waiting(void *context, int n)
{
	struct run_state *state = context;

	state->n_waiting += n;
	if (n > 0)
		run_show_progress(state);
}

/* Runs the queued trials, whose progress replaces the count of targets. */
static int run_trials(struct run_state *state, struct err *err)
{
	const struct trial_receiver receiver = { run_take_target, state };
	int status;

	progress_hide(&state->targets);
	state->trials = state->targets;
	status = trials_run(state->run, &state->queue, &state->trials, &receiver, err);
	progress_end(&state->trials);
	state->trials = (struct progress){ 0 };
	return status;
}

int run_take_modules(struct run_state *state, const struct job_modules *modules,
	struct session_options options, struct err *err)
{
	struct session session = { .options = options,
		.on_message = on_session_message,
		.on_waiting = on_waiting,
		.on_work = show_work,
		.on_position = show_position,
		.context = state };
	const struct trial_receiver receiver = { run_take_target, state };
	int status;

	if (job_has_consumer(&state->run->job)) {
		session.options.step_timeout_seconds = CONSUMER_LIMIT_SECONDS;
		session.options.step_timeout_grows = true;
	}
	state->modules = modules;
	status = run_session(state->run, modules, &session, err);
	if (!status && state->queue.n_items)
		status = run_trials(state, err);
	else if (status)
		trials_abandon(state->run, &state->queue, &receiver);
	trials_free(&state->queue);
	return status;
}

int run_take_npy_object(struct run_state *state, const char *path, struct err *err)
{
	struct arena *arena = state->run->arena;
	struct job_module module = { .kind = JOB_MODULE_NPY, .all_objects = true };
	struct job_modules modules = { 0 };

	module.name = module.label = value_text_escaped(arena, path)->bytes;
	job_modules_add(arena, &modules, &module);
	return run_take_modules(state, &modules, (struct session_options){ 0 }, err);
}
