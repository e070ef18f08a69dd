// SPDX-License-Identifier: MIT
/* Runs sources one after the other and prints a document for each target. */
#include "run/run.h"

#include "base/progress.h"
#include "documents/document.h"
#include "formats/format.h"
#include "output/output.h"
#include "protocols/protocol.h"
#include "run/run_inputs.h"
#include "run/trials.h"
#include "targets/dump.h"
#include "targets/name_hints.h"
#include "targets/npy_file.h"
#include "targets/targets.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One run under way. */
struct run_state {
	struct run *run;
	const struct format *format;
	struct output_file file;
	struct output output;
	const struct value *modules; /* of the session under way */
	struct trial_queue queue;    /* its targets, where trials are to follow */
	struct value *found;         /* the message of the module whose found targets come; NULL */
	struct arena found_arena;
	size_t n_found_shown; /* of these, those that expose something */
	enum exit_code code;
	struct run_counts counts;
	int64_t n_waiting; /* targets that are done and wait to be printed */
	struct progress targets;
	struct progress trials; /* after them */
	struct progress work;   /* of one target, where it takes long: the bytes copied */
	bool shares_terminal;   /* what is printed goes where the progress is shown */
};

/* Facts of a target that ended as like did: its status, step, error and buffers, null where it has
 * none. */
static struct value *bare_facts(struct arena *arena, const char *name, const struct value *like)
{
	static const char *const copied[] = { "status", "step", "error", "buffers" };
	struct value *facts = value_map(arena);

	value_set(arena, facts, "kind", value_text(arena, "target"));
	value_set(arena, facts, "name", value_text_escaped(arena, name));
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++) {
		const struct value *item = value_get(like, copied[i]);

		value_set(arena, facts, copied[i],
			item ? value_copy(arena, item) : value_null(arena));
	}
	value_set(arena, facts, "interfaces", value_list(arena));
	return facts;
}

/* A file that could not be read is a missing target. */
static struct value *bare_unreadable(struct arena *arena, const char *path, const struct err *why)
{
	struct value *like = value_map(arena);
	const char *message = value_text_escaped(arena, why->message)->bytes;

	value_set(arena, like, "status",
		value_text(arena, why->code == EXIT_UNAVAILABLE ? "unavailable" : "missing"));
	value_set(arena, like, "step", value_text(arena, "read"));
	value_set(arena, like, "error", value_error(arena, NULL, message));
	return bare_facts(arena, path, like);
}

static enum exit_code status_code(const struct value *facts)
{
	const char *status = value_text_or(value_get(facts, "status"), "ok");

	if (!strcmp(status, "raised") && value_get(facts, "exit_code"))
		return (enum exit_code)value_int_or(value_get(facts, "exit_code"), EXIT_TARGET);
	if (!strcmp(status, "ok"))
		return EXIT_DONE;
	if (!strcmp(status, "missing"))
		return EXIT_USAGE;
	return !strcmp(status, "unavailable") ? EXIT_UNAVAILABLE : EXIT_TARGET;
}

static void count_document(
	struct run_state *state, const struct value *document, enum exit_code code)
{
	const struct value *findings = value_get(document, "findings");
	const struct value *skipped = value_get(document, "skipped");

	state->counts.targets++;
	state->counts.failed_targets += code != EXIT_DONE;
	state->counts.skipped += value_is_sequence(skipped) ? (int64_t)skipped->n_items : 0;
	for (size_t i = 0; value_is_sequence(findings) && i < findings->n_items; i++) {
		const struct value *severity = value_get(findings->items[i], "severity");

		state->counts.errors += value_is_text(severity, "error");
		state->counts.warnings += value_is_text(severity, "warning");
		state->counts.notes += value_is_text(severity, "note");
	}
}

static void show_progress(struct run_state *state)
{
	uint64_t n_queued = state->queue.n_items;

	if (!state->trials.unit)
		progress_set(&state->targets,
			(uint64_t)(state->counts.targets + state->n_waiting) + n_queued);
}

/* One line at a time: the bytes of a long copy stand in place of the targets. */
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

/* Prints the document of a target; context is the run_state. */
static int take_target(
	void *context, struct arena *arena, const struct value *facts, struct err *err)
{
	struct run_state *state = context;
	struct run *run = state->run;
	struct value *document = document_from_facts(arena, facts);
	enum exit_code code = status_code(facts);
	int status;

	if (run->on_target && run->on_target(run, arena, facts, document, &code, err))
		return -1;
	progress_end(&state->work);
	if (state->shares_terminal)
		progress_hide(state->trials.unit ? &state->trials : &state->targets);
	if (run->print)
		status = run->print(run, state->file.stream, document, &code, err);
	else
		status = state->format->target(&state->output, document, err);
	count_document(state, document, code);
	state->code = exit_code_worse(state->code, code);
	show_progress(state);
	return status;
}

/* A target of the session under way, which may have trials: they come after the session, and the
 * targets are printed in order. Takes arena, which holds facts; module is NULL where there is
 * nothing to try. */
static int take_session_target(struct run_state *state, struct arena *arena, struct value *facts,
	const struct value *module, struct err *err)
{
	if (!trials_requested(state->run))
		return take_target(state, arena, facts, err);
	trials_queue(&state->queue, arena, facts, module);
	show_progress(state);
	return 0;
}

/* The name of a target in messages: "arrays.py:a", or the expression alone for -c. */
static const char *target_name(
	struct arena *arena, const struct value *module, const char *expression)
{
	const char *label = value_text_or(value_get(module, "label"), "?");

	if (value_bool_or(value_get(module, "plain_expressions"), false))
		return expression;
	return arena_printf(arena, "%s:%s", label, expression);
}

/* A module that could not be imported fails each target named in it; one that holds nothing exposes
 * nothing. */
static int take_module(
	struct run_state *state, struct arena *arena, const struct value *message, struct err *err)
{
	const struct value *index = value_get(message, "module");
	const struct value *module = value_item(state->modules, (size_t)value_int_or(index, 0));
	const struct value *named = value_get(module, "targets");
	const struct value *found = value_get(message, "targets");
	const char *label = value_text_or(value_get(module, "label"), "?");
	const struct value *beside = value_get(module, "named");
	size_t n_named = value_is_sequence(beside) ? beside->n_items : 0;
	bool failed = !value_is_text(value_get(message, "status"), "ok");
	int status = 0;

	if (!failed && value_is_sequence(named))
		return 0;
	if (!failed && state->run->why_one && value_is_sequence(found) && found->n_items > 1)
		return err_set(err, EXIT_USAGE, "%s", state->run->why_one);
	if (!failed && state->run->on_module)
		state->run->on_module(state->run, label, value_get(message, "names"));
	if (!failed && value_is_sequence(found) && found->n_items) {
		arena_free(&state->found_arena);
		state->found = value_copy(&state->found_arena, message);
		state->n_found_shown = 0;
		/* It counted as one, beside the expressions. */
		progress_grow(&state->targets, found->n_items - 1 - n_named);
		return 0;
	}
	if (!value_is_sequence(named)) {
		named = value_get(module, "named");
		status = take_session_target(
			state, arena, bare_facts(arena, label, message), NULL, err);
	}
	for (size_t i = 0; value_is_sequence(named) && i < named->n_items && !status; i++) {
		struct arena one = { 0 };
		const char *name = target_name(&one, module, value_text_or(named->items[i], "?"));

		status = take_session_target(
			state, &one, bare_facts(&one, name, message), NULL, err);
		arena_free(&one);
	}
	return status;
}

/* The target of a .npy file is called by the file. */
static void name_npy(const struct run_state *state, struct arena *arena, struct value *facts)
{
	const struct value *module = value_item(state->modules, 0);

	if (!value_is_text(value_get(module, "kind"), "npy"))
		return;
	value_set(arena, facts, "name",
		value_text(arena, value_text_or(value_get(module, "label"), "?")));
	value_set(arena, facts, "type", value_text(arena, ".npy file"));
}

static const struct value *module_of(const struct run_state *state, const struct value *message)
{
	int64_t index = value_int_or(value_get(message, "module"), -1);

	return value_item(state->modules, index < 0 ? SIZE_MAX : (size_t)index);
}

static void explain(const struct run_state *state, struct arena *arena, struct value *facts)
{
	name_hints_explain_usual(arena, facts);
	name_hints_explain_module(
		arena, facts, module_of(state, facts), state->run->settings->python);
}

/* Whether a target that nobody named turned out to expose nothing, or a buffer alone: its type has
 * properties that raise AttributeError. */
static bool exposes_nothing(const struct run_state *state, const struct value *facts)
{
	const struct value *interfaces = value_get(facts, "interfaces");
	const struct value *found = value_item(value_get(state->found, "targets"),
		(size_t)value_int_or(value_get(facts, "target"), 0));
	bool asks_buffers = state->run->settings->protocols.n_items > 0;

	if (value_is_sequence(value_get(module_of(state, facts), "targets")) ||
		value_bool_or(value_get(found, "named"), false) ||
		!value_is_text(value_get(facts, "status"), "ok") ||
		!value_is_null(value_get(facts, "convert")) || !value_is_sequence(interfaces))
		return false;
	for (size_t i = 0; i < interfaces->n_items; i++)
		if (asks_buffers ||
			protocol_of_interface_value(interfaces->items[i]) != &buffer_protocol)
			return false;
	return true;
}

/* Leaves the target out; where it is the last of a module of such objects, the module exposes
 * nothing. */
static int leave_out(
	struct run_state *state, struct arena *arena, const struct value *facts, struct err *err)
{
	const struct value *found = value_get(state->found, "targets");
	const struct value *module = module_of(state, facts);
	int64_t target = value_int_or(value_get(facts, "target"), 0);

	if (state->n_found_shown || !value_is_sequence(found) ||
		(size_t)target + 1 < found->n_items)
		return 0;
	return take_session_target(state, arena,
		bare_facts(arena, value_text_or(value_get(module, "label"), "?"), state->found),
		NULL, err);
}

static int on_session_message(void *context, const struct value *message, struct err *err)
{
	struct run_state *state = context;
	const struct value *kind = value_get(message, "kind");
	struct arena arena = { 0 };
	struct value *facts;
	int status = 0;

	if (value_is_text(kind, "module")) {
		facts = value_copy(&arena, message);
		explain(state, &arena, facts);
		status = take_module(state, &arena, facts, err);
	} else if (value_is_text(kind, "target")) {
		facts = value_copy(&arena, message);
		name_npy(state, &arena, facts);
		if (value_is_text(value_get(facts, "status"), "missing"))
			name_hints_explain(&arena, facts);
		explain(state, &arena, facts);
		if (exposes_nothing(state, facts)) {
			status = leave_out(state, &arena, facts, err);
			goto out;
		}
		state->n_found_shown++;
		status = take_session_target(state, &arena, facts, module_of(state, facts), err);
	}
out:
	arena_free(&arena);
	return status;
}

/* With several workers a target may be done before its turn to be printed. */
static void on_waiting(void *context, const struct value *message, int n)
{
	struct run_state *state = context;

	if (!value_is_text(value_get(message, "kind"), "target"))
		return;
	state->n_waiting += n;
	if (n > 0)
		show_progress(state);
}

/* Where the file cannot be read the rest still runs. */
static int take_dump(struct run_state *state, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct value *facts = dump_read(&arena, path, err); /* a list, one item a target */
	struct err why = *err;
	int status = 0;

	if (!facts)
		status = take_target(state, &arena, bare_unreadable(&arena, path, &why), err);
	else if (facts->n_items)
		progress_grow(&state->targets, facts->n_items - 1);
	for (size_t i = 0; facts && !status && i < facts->n_items; i++)
		status = take_target(state, &arena, facts->items[i], err);
	arena_free(&arena);
	return status;
}

static int take_npy(struct run_state *state, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct value *facts = npy_file_read(&arena, path, err);
	struct err why = *err;
	int status = take_target(
		state, &arena, facts ? facts : bare_unreadable(&arena, path, &why), err);

	arena_free(&arena);
	return status;
}

/* The line that counts trials stands in place of the targets'. */
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

/* A session over modules, then one of the trials that their targets have. */
static int run_modules(struct run_state *state, struct value *modules,
	struct session_options options, struct err *err)
{
	struct session session = { .options = options,
		.on_message = on_session_message,
		.on_waiting = on_waiting,
		.on_work = show_work,
		.context = state };
	int status;

	state->modules = modules;
	status = run_session(state->run, modules, &session, err);
	if (!status && state->queue.n_items)
		status = run_trials(state, err);
	trials_free(&state->queue);
	return status;
}

/* FILE.npy as a live object: the one target of a module of its own. */
static int run_npy(struct run_state *state, const char *path, struct err *err)
{
	struct arena *arena = state->run->arena;
	struct value *modules = value_list(arena), *module = value_map(arena);

	value_set(arena, module, "kind", value_text(arena, "npy"));
	value_set(arena, module, "name", value_text_escaped(arena, path));
	value_set(arena, module, "label", value_text_escaped(arena, path));
	value_set(arena, module, "targets", value_null(arena));
	value_set(arena, module, "plain_expressions", value_bool(arena, false));
	value_append(arena, modules, module);
	return run_modules(state, modules, (struct session_options){ 0 }, err);
}

static int check_sources(const struct run *run, const struct source_list *sources, struct err *err)
{
	for (size_t i = 0; i < sources->n_items; i++)
		if (sources->items[i].kind == SOURCE_DUMP && !run->from_dumps)
			return err_set(err, EXIT_USAGE,
				"'%s': a dump holds facts, and %s needs the object itself",
				sources->items[i].path, run->command);
	return 0;
}

static int take_sources(struct run_state *state, const struct source_list *sources, struct err *err)
{
	/* What needs no interpreter is read whether or not there is one. */
	const struct session_options options = { .stdin_is_input = sources->reads_stdin,
		.goes_on = sources->n_items > 1 };
	int status = check_sources(state->run, sources, err);

	for (size_t i = 0; i < sources->n_items && !status; i++) {
		const struct source *source = &sources->items[i];

		if (source->kind == SOURCE_PYTHON)
			status = run_modules(state, source->modules, options, err);
		else if (source->kind == SOURCE_DUMP)
			status = take_dump(state, source->path, err);
		else if (!state->run->from_dumps)
			status = run_npy(state, source->path, err);
		else
			status = take_npy(state, source->path, err);
	}
	return status;
}

static int print_all(struct run_state *state, const struct source_list *sources, struct err *err)
{
	struct run *run = state->run;
	struct err ignored;
	int status;

	if (run->print) {
		status = take_sources(state, sources, err);
		progress_end(&state->targets);
		if (!status && run->finish)
			status = run->finish(run, &state->output, &state->counts, err);
		return status;
	}
	if (state->format->begin(&state->output, run_document_head(run->arena, run), err))
		return -1;
	status = take_sources(state, sources, err);
	progress_end(&state->targets);
	state->output.no_summary |= status != 0; /* what came of a part is no result */
	if (state->format->end(
		    &state->output, run_summary(run, &state->counts), status ? &ignored : err))
		return -1;
	return status;
}

int run_targets(struct run *run, const struct option_list *operands, struct err *err)
{
	struct run_state state = { .run = run, .format = format_find(run->settings->format) };
	const struct target_words words = { .operands = operands,
		.files = &run->settings->target_files,
		.code = run->settings->code };
	struct source_list *sources = arena_alloc(run->arena, sizeof(*sources));
	int status = -1;

	if (run->settings->jobs < 0)
		return err_set(err, EXIT_USAGE,
			"--jobs must be a number of workers, or 0 for as many as cores");
	if (targets_parse(run->arena, &words, sources, err))
		return -1;
	if (run->why_one && targets_count(sources) > 1)
		return err_set(err, EXIT_USAGE, "%s", run->why_one);
	run->sources = sources;
	if (run_check_output(run, "-o", run->data_path, err) ||
		(run->updates_baseline &&
			run_check_output(run, "--baseline", run->baseline_path, err)))
		return -1;
	if (run_open_output(run, run->settings->output_path, &state.file, &state.output, err))
		return -1;
	progress_begin(&state.targets, !run->settings->quiet, targets_count(sources), "targets");
	state.shares_terminal = run->print || isatty(fileno(state.output.stream));
	if (print_all(&state, sources, err) || output_commit(&state.file, err))
		goto out;
	status = (int)state.code;
out:
	arena_free(&state.found_arena);
	progress_end(&state.work);
	progress_end(&state.targets);
	output_close(&state.file);
	return status;
}
