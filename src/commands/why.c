// SPDX-License-Identifier: MIT
/* `suai why`: what a consumer does with an object, why, and what works instead. */
#include "why/why.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/progress.h"
#include "base/words.h"
#include "cli/command.h"
#include "commands/convert_settings.h"
#include "documents/document.h"
#include "formats/verdict.h"
#include "output/result_file.h"
#include "run/run.h"
#include "run/run_targets.h"
#include "targets/call_text.h"
#include "why/conclusions.h"
#include "why/experiments.h"

#include <stdlib.h>
#include <string.h>

/* The time limit of a line that is tried. After a consumer that hung, which had half of --timeout,
 * two lines that hang have the rest. */
enum { ATTEMPT_LIMIT_SECONDS = 10, HUNG_LINES = 2 };

/* How many lines are confirmed in processes of their own if a fork is not safe. */
enum { MAX_CONFIRMED = 2 };

struct why_settings {
	struct shared_settings shared;
};

/* The state of one run. */
struct why_state {
	struct run *run;
	const struct job_module *module;   /* of the object */
	struct fact_target target, passed; /* as captured, and with what the consumer did */
	enum exit_code code;               /* of target */
	bool is_lost_in_forks;             /* a fork cannot capture the object (capture_again) */
	struct progress progress;          /* of attempts */
};

static const struct option why_options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct why_settings, shared.format),
		.argument = "FORMAT",
		.choices = "text yaml json",
		.help = "print text (default), yaml or json" },
	{ 0 },
};

static bool is_process_lost(const struct fact_target *target)
{
	return target->status == STATUS_CRASHED || target->status == STATUS_HUNG ||
	       target->status == STATUS_LEFT;
}

/* --- the object --- */

/* The object is passed to the consumer first, and captured in another process: a method of the
 * object may work only once. If that process cannot be forked, it is captured afterwards. */
static struct job_module *plan_object(struct arena *arena, const struct job_module *named)
{
	struct job_module *module = arena_alloc(arena, sizeof(*module));

	*module = *named;
	job_words_add(arena, &module->expressions, named->expressions.items[0]);
	module->trials = arena_alloc(arena, 2 * sizeof(*module->trials));
	module->trials[0] = (struct job_trial){ .name = PASS_AND_DIAGNOSE, .protocol = "" };
	module->trials[1] = (struct job_trial){ .name = PASS_CAPTURE, .protocol = "" };
	return module;
}

static bool is_of_passing(const struct fact_target *target)
{
	return target->index.known && target->index.value == 0;
}

/* Keeps the target, which is printed after the lines were tried. */
static int keep_target(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	struct why_state *state = run->context;

	(void)out;
	(void)err;
	if (is_of_passing(target)) {
		fact_copy(&fact_target_record, run->arena, target, &state->passed);
		return 0;
	}
	fact_copy(&fact_target_record, run->arena, target, &state->target);
	document_derive(run->arena, &state->target);
	state->code = *code;
	return 0;
}

/* Ignores the status of the process that calls the consumer: what the consumer does is the
 * result. */
static int ignore_failure(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	(void)run;
	(void)arena;
	(void)err;
	if (is_of_passing(target))
		*code = EXIT_DONE;
	return 0;
}

static int take_repeated(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct why_state *state = context;

	(void)arena;
	(void)err;
	if (message->kind == MESSAGE_TARGET)
		fact_copy(&fact_target_record, state->run->arena, &message->target, &state->passed);
	return 0;
}

/* Only calls the consumer, in a process that does nothing else. */
static int call_again(struct why_state *state, struct err *err)
{
	struct job_trial trial = { .name = PASS_CALL_ONLY, .protocol = "" };
	struct job_module module = *state->module;
	struct job_modules modules = { 0 };
	struct session session = {
		.options = { .silent = true }, .on_message = take_repeated, .context = state
	};

	module.trials = &trial;
	job_modules_add(state->run->arena, &modules, &module);
	return run_session(state->run, &modules, &session, err);
}

/* A process that the consumer ended is a result. If something else ended it, or if a fork may be
 * the cause, the consumer is called again. */
static int take_passed(struct why_state *state, struct err *err)
{
	static const enum trial_outcome outcomes[] = { [STATUS_CRASHED] = TRIAL_CRASHED,
		[STATUS_HUNG] = TRIAL_HUNG,
		[STATUS_LEFT] = TRIAL_LEFT };
	struct fact_target lost = state->passed;
	struct fact_why *why = &state->target.why;
	bool was_in_consumer = fact_text_is(lost.step, PASS_STEP_CALL);

	if (is_process_lost(&lost) && (lost.status != STATUS_HUNG || !was_in_consumer) &&
		call_again(state, err))
		return -1;
	*why = state->passed.why;
	if (is_process_lost(&state->passed)) {
		*why = (struct fact_why){ .present = true,
			.consumer = state->run->job.consumer.spelled,
			.outcome = outcomes[state->passed.status],
			.step = state->passed.step,
			.error = state->passed.error,
			.warnings.known = true,
			.remedies.known = true };
	} else if (is_process_lost(&lost) && !was_in_consumer && why->outcome == TRIAL_DONE &&
		   !is_process_lost(&state->target)) {
		why->step = lost.step;
		why->error = lost.error;
	}
	return 0;
}

static int take_captured(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct why_state *state = context;

	(void)arena;
	(void)err;
	if (message->kind != MESSAGE_TARGET || message->target.status != STATUS_OK)
		return 0;
	fact_copy(&fact_target_record, state->run->arena, &message->target, &state->target);
	document_derive(state->run->arena, &state->target);
	state->is_lost_in_forks = true;
	state->code = EXIT_DONE;
	return 0;
}

/* Captures the object again in a process that was not forked after the import of its module: a fork
 * lacks what the object's library keeps for each thread, such as the owner of a lock. */
static int capture_again(struct why_state *state, struct err *err)
{
	struct job_trial trial = { .name = PASS_CAPTURE, .protocol = "" };
	struct job_module module = *state->module;
	struct job_modules modules = { 0 };
	struct session session = { .options = { .step_timeout_seconds = ATTEMPT_LIMIT_SECONDS,
					   .silent = true },
		.on_message = take_captured,
		.context = state };

	module.trials = &trial;
	job_modules_add(state->run->arena, &modules, &module);
	return run_session(state->run, &modules, &session, err);
}

/* --- lines --- */

/* Attempts, and what became of them. */
struct tried_lines {
	struct why_state *state;
	struct why_attempts attempts;
	struct fact_target *results; /* of attempts */
	const size_t *modules;       /* the attempt of each module; NULL: of each target */
	bool shares_process;         /* each result may depend on those before it */
};

/* Takes the failure of an import as the result of each attempt of that module. */
static void take_import_failure(struct tried_lines *lines, const struct fact_module_result *module)
{
	size_t first = lines->modules ? lines->modules[module->module.value] : 0;
	size_t n_failed = lines->modules ? 1 : lines->attempts.n_items;
	struct fact_target failed = { .present = true, .status = module->status };

	fact_copy(&fact_error_record, lines->state->run->arena, &module->error, &failed.error);
	for (size_t i = 0; i < n_failed; i++)
		lines->results[first + i] = failed;
}

static int take_attempt(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct tried_lines *lines = context;
	int64_t i;

	(void)arena;
	(void)err;
	if (message->kind == MESSAGE_MODULE && !lines->modules)
		lines->shares_process = message->module.shares_process == ANSWER_YES;
	if (message->kind == MESSAGE_MODULE && message->module.status != STATUS_OK)
		take_import_failure(lines, &message->module);
	if (message->kind != MESSAGE_TARGET)
		return 0;
	i = lines->modules ? (int64_t)lines->modules[message->target.module.value]
			   : message->target.index.value;
	fact_copy(&fact_target_record, lines->state->run->arena, &message->target,
		&lines->results[i]);
	progress_step(&lines->state->progress, 1);
	return 0;
}

static int parse_conversion(const struct why_state *state, const struct why_conversion *options,
	struct job_trial *trial, struct err *err)
{
	struct job_convert *convert = arena_alloc(state->run->arena, sizeof(*convert));
	struct convert_settings settings = { .to = options->to->name, .device = options->device };

	convert_settings_default(&settings);
	if (options->order)
		settings.order = options->order;
	if (options->copy)
		settings.copy = options->copy;
	if (options->interface_version)
		settings.interface_version = atoi(options->interface_version);
	trial->convert = convert;
	return convert_settings_parse(state->run->arena, &settings, convert, err);
}

static int add_line(
	const struct tried_lines *lines, struct job_module *module, size_t i, struct err *err)
{
	const struct why_state *state = lines->state;
	const struct why_attempt *attempt = &lines->attempts.items[i];
	size_t n_lines = module->expressions.n_items;
	struct job_trial trial = { .name = PASS_LINE,
		.protocol = "",
		.producer = attempt->producer,
		.consumer = attempt->consumer };

	if (attempt->conversion && parse_conversion(state, attempt->conversion, &trial, err))
		return -1;
	job_words_add(state->run->arena, &module->expressions, state->module->expressions.items[0]);
	module->trials =
		arena_grow(state->run->arena, module->trials, n_lines, sizeof(*module->trials));
	module->trials[n_lines] = trial;
	return 0;
}

static struct job_module *new_line_module(const struct why_state *state)
{
	struct job_module *module = arena_alloc(state->run->arena, sizeof(*module));

	*module = *state->module;
	module->expressions = (struct job_words){ 0 };
	module->one_process = state->is_lost_in_forks;
	return module;
}

static int run_lines(struct tried_lines *lines, const struct job_modules *modules, struct err *err)
{
	struct why_state *state = lines->state;
	double limit = (double)state->run->settings->timeout_seconds / 2 / HUNG_LINES;
	struct session session = {
		.options = { .step_timeout_seconds = ATTEMPT_LIMIT_SECONDS, .silent = true },
		.on_message = take_attempt,
		.context = lines,
	};

	if (state->target.why.outcome == TRIAL_HUNG && limit > 0 && limit < ATTEMPT_LIMIT_SECONDS)
		session.options.step_timeout_seconds = limit;
	return run_session(state->run, modules, &session, err);
}

static bool works(const struct tried_lines *lines, size_t i)
{
	const struct why_state *state = lines->state;

	return !lines->attempts.items[i].tests &&
	       !why_line_fails(state->run->arena, &state->target, &lines->attempts.items[i],
		       &lines->results[i]);
}

/* The lines that worked after others in one process, those without a copy first. */
static size_t list_unconfirmed(const struct tried_lines *lines, size_t *indexes)
{
	size_t n_listed = 0;

	for (int is_copy = 0; is_copy < 2; is_copy++)
		for (size_t i = 0; i < lines->attempts.n_items; i++)
			if (works(lines, i) &&
				(lines->results[i].why.shared != ANSWER_YES) == is_copy)
				indexes[n_listed++] = i;
	return n_listed;
}

/* Tries each of the lines in a process of its own. */
static int try_alone(
	struct tried_lines *lines, const size_t *indexes, size_t n_lines, struct err *err)
{
	struct job_modules modules = { 0 };

	for (size_t i = 0; i < n_lines; i++) {
		struct job_module *module = new_line_module(lines->state);

		if (add_line(lines, module, indexes[i], err))
			return -1;
		job_modules_add(lines->state->run->arena, &modules, module);
	}
	lines->modules = indexes;
	progress_grow(&lines->state->progress, n_lines);
	return n_lines ? run_lines(lines, &modules, err) : 0;
}

/* Confirms lines that worked after others in one process. Each needs a process that imports the
 * libraries again, so only MAX_CONFIRMED are tried at a time, until one works. */
static int confirm_lines(struct tried_lines *lines, struct err *err)
{
	struct arena *arena = lines->state->run->arena;
	size_t *indexes = arena_alloc(arena, (lines->attempts.n_items + 1) * sizeof(*indexes));
	size_t n_lines = list_unconfirmed(lines, indexes), n_tried = 0;
	bool found = false;

	while (!found && n_tried < n_lines) {
		size_t n_more =
			n_lines - n_tried < MAX_CONFIRMED ? n_lines - n_tried : MAX_CONFIRMED;

		if (try_alone(lines, indexes + n_tried, n_more, err))
			return -1;
		for (size_t i = n_tried; i < n_tried + n_more; i++)
			found = works(lines, indexes[i]) || found;
		n_tried += n_more;
	}
	for (size_t i = n_tried; i < n_lines; i++)
		lines->attempts.items[indexes[i]].skipped = WHY_UNNEEDED;
	return 0;
}

/* Carries out each attempt on a new object of the expression. */
static int try_attempts(struct tried_lines *lines, struct why_state *state,
	struct why_attempts attempts, struct err *err)
{
	struct arena *arena = state->run->arena;
	struct job_module *module = new_line_module(state);
	struct job_modules modules = { 0 };

	*lines = (struct tried_lines){ .state = state,
		.attempts = attempts,
		.results = arena_alloc(arena, (attempts.n_items + 1) * sizeof(*lines->results)) };
	/* Attempts that are not tried are at the end. */
	for (size_t i = 0; i < attempts.n_items && !attempts.items[i].skipped; i++)
		if (add_line(lines, module, i, err))
			return -1;
	job_modules_add(arena, &modules, module);
	progress_grow(&state->progress, module->expressions.n_items);
	return module->expressions.n_items ? run_lines(lines, &modules, err) : 0;
}

/* Finds the cause by passing other objects to the consumer. */
static int try_experiments(struct why_state *state, const struct why_names *names, struct err *err)
{
	struct arena *arena = state->run->arena;
	struct tried_lines lines;

	if (try_attempts(&lines, state, why_plan_experiments(arena, &state->target, names), err))
		return -1;
	why_conclude(arena, &state->target, &lines.attempts, lines.results);
	return 0;
}

static int try_lines(struct why_state *state, const struct why_names *names, struct err *err)
{
	struct arena *arena = state->run->arena;
	struct tried_lines lines;

	if (try_attempts(&lines, state, why_plan(arena, &state->target, names), err))
		return -1;
	if (lines.shares_process && confirm_lines(&lines, err))
		return -1;
	for (size_t i = 0; i < lines.attempts.n_items; i++)
		why_take(arena, &state->target, &lines.attempts.items[i], &lines.results[i]);
	why_finish(arena, &state->target);
	return 0;
}

/* A cause that the exception and the object both indicate is confirmed by a line that works. If
 * none does, other objects show whether there is another cause, for which there are other lines. */
static int confirm_cause(struct why_state *state, const struct why_names *names, struct err *err)
{
	enum why_cause cause = state->target.why.cause;

	if (!why_is_unconfirmed(state->run->arena, &state->target))
		return 0;
	if (try_experiments(state, names, err))
		return -1;
	if (state->target.why.cause == cause)
		return 0;
	state->target.why.remedies.n_items = 0;
	return try_lines(state, names, err);
}

/* --- names --- */

/* The function in an expression "NAME(_)"; NULL for other expressions. */
static const char *called_function(struct arena *arena, const char *expression)
{
	size_t n_chars = strlen(expression), n_name = n_chars > 3 ? n_chars - 3 : 0;

	if (!n_name || strcmp(expression + n_name, "(_)") != 0 ||
		strcspn(expression, " ([{+-*/%,:'\"") != n_name)
		return NULL;
	return arena_copy(arena, expression, n_name);
}

/* "suai convert FILE.py:a", as the user would write it. */
static const char *convert_command(
	struct arena *arena, const struct shared_settings *settings, const char *operand)
{
	const char *text = "suai convert";

	if (settings->as_main)
		text = arena_printf(arena, "%s --main", text);
	if (settings->python)
		text = arena_printf(
			arena, "%s --python %s", text, words_quote(arena, settings->python));
	if (settings->code)
		text = arena_printf(arena, "%s -c %s", text, words_quote(arena, settings->code));
	return arena_printf(arena, "%s %s", text, words_quote(arena, operand));
}

static const char *script_arguments(struct arena *arena, const struct option_list *arguments)
{
	const char *text = arguments->n_items ? " --" : "";

	for (size_t i = 0; i < arguments->n_items; i++)
		text = arena_printf(arena, "%s %s", text, words_quote(arena, arguments->items[i]));
	return text;
}

static struct why_names name_parts(const struct why_state *state, const char *operand)
{
	static const char builtins[] = "builtins.";
	const struct shared_settings *settings = state->run->settings;
	const struct job_call *call = &state->run->job.consumer;
	struct arena *arena = state->run->arena;
	struct why_names names = { .object = state->module->expressions.items[0],
		.convert_command = convert_command(arena, settings, operand),
		.call_argument = words_quote(arena, call->spelled),
		.script_arguments = script_arguments(arena, &settings->arguments) };

	names.consumer = call->function ? arena_printf(arena, "%s.%s", call->module, call->function)
					: called_function(arena, call->expression);
	names.callable = names.consumer != NULL;
	if (!names.callable)
		names.consumer = call->expression;
	if (!strncmp(names.consumer, builtins, strlen(builtins)))
		names.consumer += strlen(builtins);
	return names;
}

/* Makes a function of the object's own file a function of its module. */
static void use_own_function(
	struct arena *arena, const struct job_module *module, struct job_call *call)
{
	char *real = module->kind == JOB_MODULE_FILE ? mem_real_path(module->name) : NULL;

	if (real && call->file && !strcmp(real, call->file)) {
		call->expression = arena_printf(arena, "%s(_)", call->function);
		call->file = call->module = call->function = NULL;
	}
	free(real);
}

/* Exactly one Python object, by an expression. */
static const struct job_module *only_module(const struct source_list *sources, struct err *err)
{
	const struct job_modules *modules = &sources->items[0].modules;

	if (sources->n_items == 1 && sources->items[0].kind == SOURCE_PYTHON &&
		modules->n_items == 1 && !modules->items[0]->all_objects &&
		modules->items[0]->expressions.n_items == 1)
		return modules->items[0];
	err_set(err, EXIT_USAGE,
		"why: expected one object, such as FILE.py:NAME, package.module:NAME, or -c CODE NAME");
	return NULL;
}

static int print_target(
	struct run *run, struct fact_target *target, enum exit_code code, struct err *err)
{
	const struct run_counts counts = { .targets = 1, .failed_targets = code != EXIT_DONE };
	const struct format *format = format_find(run->settings->format);
	struct fact_head head = run_document_head(run);
	const struct fact_summary summary = run_summary(run, &counts);
	struct result_file file;
	struct format_output output;
	int status;

	head.why = target->why;
	if (run_open_output(run, run->settings->output_path, &file, &output, err))
		return -1;
	output.no_summary = true;
	status = format->begin(&output, &head, err);
	if (!status)
		status = format->target(&output, target, err);
	if (format->end(&output, &summary, err))
		status = -1;
	status = status ? result_file_fail(&file, err) : result_file_commit(&file, err);
	result_file_close(&file);
	return status;
}

/* Finds the cause and the lines that work. */
static int find_remedies(struct why_state *state, const struct why_names *names, struct err *err)
{
	int status = 0;

	progress_begin(&state->progress, !state->run->settings->quiet, 0, "attempts");
	state->progress.is_untimed = true;
	why_explain(state->run->arena, &state->target, names);
	if (why_is_doubtful(state->run->arena, &state->target))
		status = try_experiments(state, names, err);
	if (!status)
		status = try_lines(state, names, err);
	if (!status)
		status = confirm_cause(state, names, err);
	progress_end(&state->progress);
	return status;
}

static int explain_object(struct why_state *state, const char *operand, struct err *err)
{
	const struct why_names names = name_parts(state, operand);

	if (take_passed(state, err) || find_remedies(state, &names, err))
		return -1;
	if (state->target.why.verdict == WHY_REFUSED || state->target.why.verdict == WHY_LOST)
		state->code = EXIT_FINDINGS;
	else if (is_process_lost(&state->target))
		state->code = EXIT_DONE; /* the consumer does not use the interface that ended the
					    process */
	return 0;
}

static int explain(struct why_state *state, const struct option_list *operands, struct err *err)
{
	struct run *run = state->run;
	const struct shared_settings *settings = run->settings;
	struct shared_settings collecting = *settings;
	struct option_list target = { .items = operands->items, .n_items = 1 };
	const struct target_words words = { .operands = &target,
		.files = &settings->target_files,
		.code = settings->code,
		.arguments = &settings->arguments };
	struct job_modules modules = { 0 };
	struct source_list sources = { 0 };

	if (operands->n_items != 2)
		return err_set(err, EXIT_USAGE, "why: expected TARGET CONSUMER, got %zu operand%s",
			operands->n_items, plural((long long)operands->n_items));
	if (call_text_parse(run->arena, "CONSUMER", operands->items[1], &run->job.consumer, err) ||
		targets_parse(run->arena, &words, &sources, err))
		return -1;
	state->module = only_module(&sources, err);
	if (!state->module)
		return -1;
	use_own_function(run->arena, state->module, &run->job.consumer);
	job_modules_add(run->arena, &modules, plan_object(run->arena, state->module));
	sources.items[0].modules = modules;
	collecting.output_path = NULL;
	run->settings = &collecting;
	run->sources = &sources;
	if (run_targets(run, &target, err) < 0)
		return -1;
	/* Nothing was passed if the module's own code ended the process. */
	if (is_process_lost(&state->target) && state->passed.present && capture_again(state, err))
		return -1;
	if ((state->target.status == STATUS_OK ||
		    (is_process_lost(&state->target) && state->passed.present)) &&
		explain_object(state, operands->items[0], err))
		return -1;
	run->settings = settings;
	return print_target(run, &state->target, state->code, err) ? -1 : (int)state->code;
}

static int why_run(void *opaque, const struct option_list *operands, struct err *err)
{
	const struct why_settings *settings = opaque;
	struct arena arena = { 0 };
	struct why_state state = { 0 };
	struct run run = { .command = "why",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY, .passes_objects = true },
		.print = keep_target,
		.on_target = ignore_failure,
		.context = &state };
	int code;

	state.run = &run;
	code = explain(&state, operands, err);
	arena_free(&arena);
	return code;
}

const struct command why_command = {
	.name = "why",
	.summary =
		"explain why a consumer rejects or copies an object, and show what works instead",
	.usage = "TARGET CONSUMER",
	.prose =
		"Passes the object TARGET to CONSUMER, which is module:function, FILE.py:function or an expression with _, the object, and reports whether the result shares the object's memory, is a copy, has narrower elements, or whether the object is rejected: the call that raises the exception, the cause, and lines that work, of Python or with suai convert. Each line was tried on a new object of TARGET, in a process in which no other line was tried, and its result has the elements of the object; those without a copy come first. -v also prints the lines that were tried and do not work.\n\nA cause has an id: consumer-missing, memory, several-devices, pending-operation, nulls, no-protocol, copy-forbidden, readonly, byte-order, alignment, element-type, keyword, capsule-version, strides, stream, device, dimensions, empty, producer-error, producer-lost, consumer-lost, consumer-copies. It is derived from the interfaces of the object and from the exception, or found by passing objects to the consumer that differ from it in one property; otherwise the cause is unknown.\n\nLibraries that a line names must be imported first. At most 65,536 elements are compared, as numbers. Lines that would copy more than 256 MiB are not tried, which the report states; the consumer itself is called in any case. The consumer may take half of --timeout; each line may take 10 seconds, and no further lines are tried after two have hung.\n\nThe exit status is 0 if the consumer accepts the object, even as a copy, and 1 if it rejects it or ends its process.",
	.examples =
		"suai why -c 'import array; a = array.array(\"d\", [1, 2])' a builtins:memoryview\n"
		"  a consumer that shares the memory\n"
		"suai why arrays.py:a numpy:from_dlpack\n"
		"  why NumPy does not accept an array, and what works instead\n",
	.options = why_options,
	.loads = true,
	.shares = true,
	.settings_bytes = sizeof(struct why_settings),
	.run = why_run,
};
