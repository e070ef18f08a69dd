// SPDX-License-Identifier: MIT
/* Runs sources one after the other and prints a document for each target. */
#include "run/run.h"

#include "base/progress.h"
#include "facts/document.h"
#include "formats/format.h"
#include "output/output.h"
#include "run/run_inputs.h"
#include "run/trials.h"
#include "targets/bare_facts.h"
#include "targets/dump.h"
#include "targets/name_hints.h"
#include "targets/npy_file.h"
#include "targets/targets.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One run under way. */
struct running {
	struct run *run;
	const struct format *format;
	struct output_file file;
	struct output output;
	const struct value *modules; /* of the session under way */
	struct value *found;         /* the message of the module whose found targets come; NULL */
	struct arena found_arena;
	size_t n_found_shown; /* of these, those that expose something */
	enum exit_code code;
	struct run_counts counts;
	int64_t n_waiting; /* targets that are done and wait to be printed */
	struct progress progress;
	struct progress work; /* of one target, where it takes long: the bytes copied */
	bool shares_terminal; /* what is printed goes where the progress is shown */
};

static enum exit_code status_code(const struct value *document)
{
	const char *status = value_text_or(value_get(document, "status"), "ok");

	if (!strcmp(status, "ok"))
		return EXIT_DONE;
	if (!strcmp(status, "missing"))
		return EXIT_USAGE;
	return !strcmp(status, "unavailable") ? EXIT_UNAVAILABLE : EXIT_TARGET;
}

static void count(struct running *running, const struct value *document, enum exit_code code)
{
	const struct value *findings = value_get(document, "findings");
	const struct value *skipped = value_get(document, "skipped");

	running->counts.targets++;
	running->counts.failed_targets += code != EXIT_DONE;
	running->counts.skipped += value_is_sequence(skipped) ? (int64_t)skipped->n_items : 0;
	for (size_t i = 0; value_is_sequence(findings) && i < findings->n_items; i++) {
		const struct value *severity = value_get(findings->items[i], "severity");

		running->counts.errors += value_is_text(severity, "error");
		running->counts.warnings += value_is_text(severity, "warning");
		running->counts.notes += value_is_text(severity, "note");
	}
}

static void show_progress(struct running *running)
{
	progress_set(&running->progress, (uint64_t)(running->counts.targets + running->n_waiting));
}

/* One line at a time: the bytes of a long copy stand in place of the targets. */
static void show_work(void *context, const char *step, uint64_t done_bytes, uint64_t total_bytes)
{
	struct running *running = context;
	const char *doing = !strcmp(step, "verify") ? "comparing"
			    : !strcmp(step, "read") ? "reading"
						    : "copying";

	if (!total_bytes) {
		progress_end(&running->work);
		return;
	}
	progress_begin_bytes(&running->work, !running->run->settings->quiet, total_bytes, doing);
	progress_hide(&running->progress);
	progress_set(&running->work, done_bytes);
}

static int take_target(
	struct running *running, struct arena *arena, const struct value *facts, struct err *err)
{
	struct run *run = running->run;
	struct value *document = document_from_facts(arena, facts);
	enum exit_code code = status_code(document);
	int status;

	if (run->on_target && run->on_target(run, arena, facts, document, &code, err))
		return -1;
	progress_end(&running->work);
	if (running->shares_terminal)
		progress_hide(&running->progress);
	if (run->print)
		status = run->print(run, running->file.stream, document, &code, err);
	else
		status = running->format->target(&running->output, document, err);
	count(running, document, code);
	running->code = exit_code_worse(running->code, code);
	show_progress(running);
	return status;
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
	struct running *running, struct arena *arena, const struct value *message, struct err *err)
{
	const struct value *index = value_get(message, "module");
	const struct value *module = value_item(running->modules, (size_t)value_int_or(index, 0));
	const struct value *named = value_get(module, "targets");
	const struct value *found = value_get(message, "targets");
	const char *label = value_text_or(value_get(module, "label"), "?");
	const struct value *beside = value_get(module, "named");
	size_t n_named = value_is_sequence(beside) ? beside->n_items : 0;
	bool failed = !value_is_text(value_get(message, "status"), "ok");
	int status = 0;

	if (!failed && value_is_sequence(named))
		return 0;
	if (!failed && running->run->why_one && value_is_sequence(found) && found->n_items > 1)
		return err_set(err, EXIT_USAGE, "%s", running->run->why_one);
	if (!failed && running->run->on_module)
		running->run->on_module(running->run, label, value_get(message, "names"));
	if (!failed && value_is_sequence(found) && found->n_items) {
		arena_free(&running->found_arena);
		running->found = value_copy(&running->found_arena, message);
		running->n_found_shown = 0;
		/* It counted as one, beside the expressions. */
		progress_grow(&running->progress, found->n_items - 1 - n_named);
		return 0;
	}
	if (!value_is_sequence(named)) {
		named = value_get(module, "named");
		status = take_target(running, arena, bare_facts(arena, label, message), err);
	}
	for (size_t i = 0; value_is_sequence(named) && i < named->n_items && !status; i++) {
		struct arena one = { 0 };
		const char *name = target_name(&one, module, value_text_or(named->items[i], "?"));

		status = take_target(running, &one, bare_facts(&one, name, message), err);
		arena_free(&one);
	}
	return status;
}

/* The target of a .npy file is called by the file. */
static void name_npy(const struct running *running, struct arena *arena, struct value *facts)
{
	const struct value *module = value_item(running->modules, 0);

	if (!value_is_text(value_get(module, "kind"), "npy"))
		return;
	value_set(arena, facts, "name",
		value_text(arena, value_text_or(value_get(module, "label"), "?")));
	value_set(arena, facts, "type", value_text(arena, ".npy file"));
}

static const struct value *module_of(const struct running *running, const struct value *message)
{
	int64_t index = value_int_or(value_get(message, "module"), -1);

	return value_item(running->modules, index < 0 ? SIZE_MAX : (size_t)index);
}

static void explain(const struct running *running, struct arena *arena, struct value *facts)
{
	missing_explain_usual(arena, facts);
	missing_explain_module(
		arena, facts, module_of(running, facts), running->run->settings->python);
}

/* Whether a target that nobody named turned out to expose nothing, or a buffer alone: its type has
 * properties that raise AttributeError. */
static bool exposes_nothing(const struct running *running, const struct value *facts)
{
	const struct value *interfaces = value_get(facts, "interfaces");
	const struct value *found = value_item(value_get(running->found, "targets"),
		(size_t)value_int_or(value_get(facts, "target"), 0));
	bool asks_buffers = running->run->settings->protocols.n_items > 0;

	if (value_is_sequence(value_get(module_of(running, facts), "targets")) ||
		value_bool_or(value_get(found, "named"), false) ||
		!value_is_text(value_get(facts, "status"), "ok") ||
		!value_is_null(value_get(facts, "convert")) || !value_is_sequence(interfaces))
		return false;
	for (size_t i = 0; i < interfaces->n_items; i++)
		if (asks_buffers ||
			!value_is_text(value_get(interfaces->items[i], "protocol"), "buffer"))
			return false;
	return true;
}

/* Leaves the target out; where it is the last of a module of such objects, the module exposes
 * nothing. */
static int leave_out(
	struct running *running, struct arena *arena, const struct value *facts, struct err *err)
{
	const struct value *found = value_get(running->found, "targets");
	const struct value *module = module_of(running, facts);
	int64_t target = value_int_or(value_get(facts, "target"), 0);

	if (running->n_found_shown || !value_is_sequence(found) ||
		(size_t)target + 1 < found->n_items)
		return 0;
	return take_target(running, arena,
		bare_facts(arena, value_text_or(value_get(module, "label"), "?"), running->found),
		err);
}

static int on_message(void *context, const struct value *message, struct err *err)
{
	struct running *running = context;
	const struct value *kind = value_get(message, "kind");
	struct arena arena = { 0 };
	struct value *facts;
	int status = 0;

	if (value_is_text(kind, "module")) {
		facts = value_copy(&arena, message);
		explain(running, &arena, facts);
		status = take_module(running, &arena, facts, err);
	} else if (value_is_text(kind, "target")) {
		facts = value_copy(&arena, message);
		name_npy(running, &arena, facts);
		if (value_is_text(value_get(facts, "status"), "missing"))
			missing_explain(&arena, facts);
		explain(running, &arena, facts);
		if (exposes_nothing(running, facts)) {
			status = leave_out(running, &arena, facts, err);
			goto out;
		}
		running->n_found_shown++;
		status = trials_hold(running->run, &arena, module_of(running, facts), facts,
			&running->progress, err);
		if (!status)
			status = take_target(running, &arena, facts, err);
	}
out:
	arena_free(&arena);
	return status;
}

/* With several workers a target may be done before its turn to be printed. */
static void on_waiting(void *context, const struct value *message, int n)
{
	struct running *running = context;

	if (!value_is_text(value_get(message, "kind"), "target"))
		return;
	running->n_waiting += n;
	if (n > 0)
		show_progress(running);
}

/* The rest still runs. */
static int take_unreadable(struct running *running, struct arena *arena, const char *path,
	const struct err *why, struct err *err)
{
	return take_target(running, arena, bare_unreadable(arena, path, why), err);
}

static int take_dump(struct running *running, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct value *facts = dump_read(&arena, path, err); /* a list, one item a target */
	struct err why = *err;
	int status = 0;

	if (!facts)
		status = take_unreadable(running, &arena, path, &why, err);
	else if (facts->n_items)
		progress_grow(&running->progress, facts->n_items - 1);
	for (size_t i = 0; facts && !status && i < facts->n_items; i++)
		status = take_target(running, &arena, facts->items[i], err);
	arena_free(&arena);
	return status;
}

static int take_npy(struct running *running, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct value *facts = npy_file_read(&arena, path, err);
	struct err why = *err;
	int status = facts ? take_target(running, &arena, facts, err)
			   : take_unreadable(running, &arena, path, &why, err);

	arena_free(&arena);
	return status;
}

static int run_modules(
	struct running *running, struct value *modules, struct run_manner manner, struct err *err)
{
	const struct run_handler handler = { .on_message = on_message,
		.on_waiting = on_waiting,
		.on_work = show_work,
		.context = running };

	running->modules = modules;
	return run_session(running->run, modules, manner, &handler, err);
}

/* FILE.npy as a live object: the one target of a module of its own. */
static int run_npy(struct running *running, const char *path, struct err *err)
{
	struct arena *arena = running->run->arena;
	struct value *modules = value_list(arena), *module = value_map(arena);

	value_set(arena, module, "kind", value_text(arena, "npy"));
	value_set(arena, module, "name", value_text_escaped(arena, path));
	value_set(arena, module, "label", value_text_escaped(arena, path));
	value_set(arena, module, "targets", value_null(arena));
	value_set(arena, module, "plain_expressions", value_bool(arena, false));
	value_append(arena, modules, module);
	return run_modules(running, modules, (struct run_manner){ 0 }, err);
}

static int run_python(struct running *running, const struct source *source,
	struct run_manner manner, struct err *err)
{
	return run_modules(running, source->modules, manner, err);
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

static int take_sources(struct running *running, const struct source_list *sources, struct err *err)
{
	/* What needs no interpreter is read whether or not there is one. */
	const struct run_manner manner = { .stdin_is_input = sources->reads_stdin,
		.goes_on = sources->n_items > 1 };
	int status = check_sources(running->run, sources, err);

	for (size_t i = 0; i < sources->n_items && !status; i++) {
		const struct source *source = &sources->items[i];

		if (source->kind == SOURCE_PYTHON)
			status = run_python(running, source, manner, err);
		else if (source->kind == SOURCE_DUMP)
			status = take_dump(running, source->path, err);
		else if (!running->run->from_dumps)
			status = run_npy(running, source->path, err);
		else
			status = take_npy(running, source->path, err);
	}
	return status;
}

static void begin_progress(struct running *running, const struct source_list *sources)
{
	const struct run *run = running->run;

	progress_begin(
		&running->progress, !run->settings->quiet, targets_count(sources), "targets");
	running->shares_terminal = run->print || isatty(fileno(running->output.stream));
}

static int print_all(struct running *running, const struct source_list *sources, struct err *err)
{
	struct run *run = running->run;
	struct err ignored;
	int status;

	if (run->print) {
		status = take_sources(running, sources, err);
		progress_end(&running->progress);
		if (!status && run->finish)
			status = run->finish(run, &running->output, &running->counts, err);
		return status;
	}
	if (running->format->begin(&running->output, run_document_head(run->arena, run), err))
		return -1;
	status = take_sources(running, sources, err);
	progress_end(&running->progress);
	running->output.no_summary |= status != 0; /* what came of a part is no result */
	if (running->format->end(
		    &running->output, run_summary(run, &running->counts), status ? &ignored : err))
		return -1;
	return status;
}

int run_targets(struct run *run, const struct option_list *operands, struct err *err)
{
	struct running running = { .run = run, .format = format_find(run->settings->format) };
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
	if (run_open_output(run, run->settings->output_path, &running.file, &running.output, err))
		return -1;
	begin_progress(&running, sources);
	if (print_all(&running, sources, err) || output_commit(&running.file, err))
		goto out;
	status = (int)running.code;
out:
	arena_free(&running.found_arena);
	progress_end(&running.work);
	progress_end(&running.progress);
	output_close(&running.file);
	return status;
}
