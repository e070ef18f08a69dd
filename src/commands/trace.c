// SPDX-License-Identifier: MIT
/* `suai trace`: the exchanges of arrays between the libraries of a running program. */
#include "base/array_size.h"
#include "base/byte_size.h"
#include "base/plural.h"
#include "base/progress.h"
#include "base/signal_name.h"
#include "cli/command.h"
#include "commands/trace_findings.h"
#include "exchanges/exchanges.h"
#include "exchanges/traced_program.h"
#include "formats/json/json_write.h"
#include "formats/yaml/yaml_write.h"
#include "model/escape.h"
#include "output/notice.h"
#include "output/result_file.h"
#include "run/run_inputs.h"
#include "trace/record.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_EVENTS = 100000 };

#define EVENTS_UNSET INT64_MIN

struct trace_settings {
	struct shared_settings shared;
	int64_t min_bytes, max_events;
	bool copies, held, order, follow;
	const char *baseline;
	bool update_baseline;
	struct option_list fail_on, without;
};

/* Name and function of each format. */
#define REPORT_FORMATS(FIRST, EACH)          \
	FIRST("text", write_text_report)     \
	EACH("yaml", write_yaml_report)      \
	EACH("json", write_json_report)      \
	EACH("sarif", write_findings_report) \
	EACH("perfetto", write_events_report)

#define LAYER_NAME(NAME, LAYER, TEXT) NAME
#define LAYER_AFTER_SPACE(NAME, LAYER, TEXT) " " NAME
#define LAYER_AFTER_COMMA(NAME, LAYER, TEXT) ", " NAME
#define LAYER_MEANING(NAME, LAYER, TEXT) NAME ": " TEXT
#define LAYER_MEANING_AFTER(NAME, LAYER, TEXT) "; " NAME ": " TEXT
#define LAYER_ROW(NAME, LAYER, TEXT) { NAME, TRACE_LAYER_##LAYER },

#define SHARED(NAME) offsetof(struct trace_settings, shared.NAME)
#define FIELD(NAME) offsetof(struct trace_settings, NAME)

static const struct option trace_options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = SHARED(format),
		.argument = "FORMAT",
		.choices = FORMAT_CHOICES(REPORT_FORMATS),
		.help = "print text (default), yaml, json, sarif, or perfetto: a trace for ui.perfetto.dev",
		.more = "perfetto is Chrome's JSON trace format, which chrome://tracing opens as well: a track for each library of each process, a slice for each "
			"exchange, and one of the time during which its memory was held. Only this format records individual exchanges." },
	{ .letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.offset = SHARED(output_path),
		.argument = "FILE",
		.complete = "file",
		.help = "write the report to FILE, completely or not at all, instead of standard error",
		.more = "Without -f, the format is that of the suffix of FILE: .json, .yaml or .yml, .sarif; otherwise text." },
	{ .name = "min-bytes",
		.kind = OPTION_NUMBER,
		.offset = FIELD(min_bytes),
		.argument = "N",
		.help = "ignore exchanges of fewer than N bytes: only their number is reported" },
	{ .name = "max-events",
		.kind = OPTION_NUMBER,
		.offset = FIELD(max_events),
		.argument = "N",
		.least = 1,
		.most = TRACE_MAX_EVENTS,
		.help = "with -f perfetto, record at most N exchanges of a process (default 100000)",
		.more = "Totals include those that are not recorded, whose number is reported. N is at most 1048576." },
	{ .name = "copies",
		.kind = OPTION_FLAG,
		.offset = FIELD(copies),
		.help = "list only call sites at which memory was copied" },
	{ .name = "held",
		.kind = OPTION_FLAG,
		.offset = FIELD(held),
		.help = "list only call sites whose memory was held at exit, never consumed, or released twice" },
	{ .name = "order",
		.kind = OPTION_FLAG,
		.offset = FIELD(order),
		.help = "list only call sites at which memory was passed while work on it was pending",
		.more = "With several of --copies, --held and --order, call sites that match any of them are listed." },
	{ .name = "follow",
		.kind = OPTION_FLAG,
		.offset = FIELD(follow),
		.help = "also trace processes that the program starts or forks, up to 256 in total",
		.more = "Their environment then contains LD_PRELOAD and " TRACE_ENVIRONMENT
			". Without --follow, the first process "
			"that runs Python is traced, and the others are counted." },
	{ .name = "fail-on",
		.kind = OPTION_LIST,
		.offset = FIELD(fail_on),
		.argument = "WHAT",
		.choices = "copy leak narrowed stream",
		.split = true,
		.help = "exit with 1 if there was a copy, a leak, a narrowed array or an unordered exchange; repeatable",
		.more = "leak is memory that was never released although the interpreter was finalized; narrowed is a "
			"result whose elements are smaller than those of the array, or have fewer values; stream is an exchange that passed no event while work was pending on its SYCL queue, or, on CUDA, no stream while work was pending on one of the producer. Findings that a comment or the baseline ignores do not count. "
			"A program that fails keeps its own exit status. If it succeeds, the exit status is 1 as well if nothing was traced, if exchanges were lost because a table was full, or if --follow did not trace every process that runs Python. "
			"A layer of --without that is needed to find what fails is an error." },
	{ .name = "baseline",
		.writes_file = true,
		.kind = OPTION_TEXT,
		.offset = FIELD(baseline),
		.argument = "FILE",
		.complete = "file",
		.help = "ignore the findings listed in FILE, and report those that no longer occur",
		.more = "FILE has the format of 'suai validate --baseline'. Its targets are functions and pairs of libraries instead of "
			"lines, which shift with unrelated changes; count is the number of call sites. Paths are relative to FILE's directory." },
	{ .name = "update-baseline",
		.kind = OPTION_FLAG,
		.offset = FIELD(update_baseline),
		.help = "write the findings of this run to the FILE of --baseline",
		.more = "Entries of call sites that this run did not reach are kept." },
	{ .name = "without",
		.kind = OPTION_LIST,
		.offset = FIELD(without),
		.argument = "LAYER",
		.choices = TRACE_LAYERS(LAYER_NAME, LAYER_AFTER_SPACE),
		.split = true,
		.help = "do not trace LAYER: " TRACE_LAYERS(
			LAYER_NAME, LAYER_AFTER_COMMA) "; repeatable",
		.more = TRACE_LAYERS(LAYER_MEANING, LAYER_MEANING_AFTER) "." },
	{ .letter = 'q',
		.name = "quiet",
		.kind = OPTION_FLAG,
		.offset = SHARED(quiet),
		.help = "print only the totals, and the findings of --fail-on" },
	{ .letter = 'v',
		.name = "verbose",
		.kind = OPTION_FLAG,
		.offset = SHARED(verbose),
		.help = "list all call sites, not only 20, and show a line of totals on a terminal while PROGRAM runs" },
	{ .name = "color",
		.kind = OPTION_CHOICE,
		.offset = SHARED(color),
		.argument = "WHEN",
		.choices = "auto always never",
		.help = "colour the text: auto (on a terminal), always or never" },
	{ 0 },
};

static void set_trace_defaults(void *opaque)
{
	struct trace_settings *settings = opaque;

	settings->shared.color = "auto";
	settings->max_events = EVENTS_UNSET;
}

static uint32_t layer_named(const char *name)
{
	static const struct {
		const char *name;
		uint32_t layer;
	} layers[] = { TRACE_LAYERS(LAYER_ROW, LAYER_ROW) };

	for (size_t i = 0; i < ARRAY_SIZE(layers); i++)
		if (!strcmp(name, layers[i].name))
			return layers[i].layer;
	return 0;
}

static uint32_t chosen_layers(const struct trace_settings *settings)
{
	uint32_t chosen = TRACE_LAYER_ALL;

	for (size_t i = 0; i < settings->without.n_items; i++)
		chosen &= ~layer_named(settings->without.items[i]);
	return chosen;
}

/* What --fail-on names, and the rule that finds it. */
static const struct {
	const char *name, *rule;
} failures[] = { { "copy", "TRC801" }, { "leak", "TRC701" }, { "narrowed", "TRC201" },
	{ "stream", "TRC601" } };

static bool fails_on(const struct trace_settings *settings, const char *rule)
{
	for (size_t i = 0; i < settings->fail_on.n_items; i++)
		for (size_t k = 0; k < ARRAY_SIZE(failures); k++)
			if (!strcmp(settings->fail_on.items[i], failures[k].name) &&
				!strcmp(failures[k].rule, rule))
				return true;
	return false;
}

/* Refuses --fail-on for what cannot be found with --without. */
static int check_failures(const struct trace_settings *settings, struct err *err)
{
	for (size_t i = 0; i < settings->without.n_items; i++)
		for (size_t k = 0; k < ARRAY_SIZE(failures); k++)
			if (fails_on(settings, failures[k].rule) &&
				trace_rule_layers(failures[k].rule) &
					layer_named(settings->without.items[i]))
				return err_set(err, EXIT_USAGE,
					"--fail-on %s cannot be used with --without %s, which it needs",
					failures[k].name, settings->without.items[i]);
	return 0;
}

/* Calls visit for each finding of a rule, unless it is NULL. Returns their number. */
static size_t visit_findings(const struct exchange_list *list, const char *rule,
	void (*visit)(const struct fact_call_site *site, const struct fact_finding *finding))
{
	size_t n_findings = 0;

	for (size_t i = 0; i < list->n_items; i++) {
		const struct fact_call_site *site = &list->items[i].site;

		for (size_t k = 0; k < site->findings.n_items; k++) {
			if (strcmp(site->findings.items[k].rule, rule) != 0)
				continue;
			n_findings++;
			if (visit)
				visit(site, &site->findings.items[k]);
		}
	}
	return n_findings;
}

static void print_found(const struct fact_call_site *site, const struct fact_finding *finding)
{
	struct arena arena = { 0 };

	fputs("    ", stderr);
	escape_print(stderr, exchange_place(&arena, site));
	fputs(": ", stderr);
	escape_print(stderr, finding->message);
	fputc('\n', stderr);
	arena_free(&arena);
}

/* Whether findings remain that --fail-on names, with a line for each kind of them. */
static bool report_failures(
	const struct trace_settings *settings, const struct exchange_list *list, bool is_silent)
{
	bool is_failure = false;

	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		size_t n_findings = fails_on(settings, failures[i].rule)
					    ? visit_findings(list, failures[i].rule, NULL)
					    : 0;

		is_failure = is_failure || n_findings;
		if (!n_findings || is_silent)
			continue;
		fprintf(stderr, "suai: --fail-on %s: %zu finding%s\n", failures[i].name, n_findings,
			plural((long long)n_findings));
		if (settings->shared.quiet) /* no report lists them */
			visit_findings(list, failures[i].rule, print_found);
	}
	return is_failure;
}

/* Whether the report on standard error is a document, which notices would corrupt. */
static bool is_document_on_stderr(const struct trace_settings *settings)
{
	return !settings->shared.output_path && strcmp(settings->shared.format, "text") != 0;
}

/* Notes the processes that were not traced because --follow was not given. */
static void note_untraced(uint64_t n_processes)
{
	fprintf(stderr,
		"suai: note: --fail-on: %llu process%s that run%s Python %s not traced; use --follow\n",
		(unsigned long long)n_processes, n_processes == 1 ? "" : "es",
		n_processes == 1 ? "s" : "", n_processes == 1 ? "was" : "were");
}

/* Also for a program that failed, such as one that was killed. */
static void note_unknown_leaks(
	const struct trace_settings *settings, const struct exchange_list *list)
{
	if (list->n_traced && !list->is_complete && fails_on(settings, "TRC701") &&
		!is_document_on_stderr(settings))
		fprintf(stderr,
			"suai: note: --fail-on leak: a process ended without finalizing its interpreter, so that its leaks are unknown\n");
}

static void report_nothing_traced(
	const struct trace_settings *settings, const struct exchange_list *list)
{
	if (settings->shared.output_path)
		fprintf(stderr, "suai: --fail-on: nothing was traced: %s\n", list->problem);
	else /* the report has the reason */
		fputs("suai: --fail-on: nothing was traced\n", stderr);
}

static void report_lost(uint64_t n_exchanges)
{
	fprintf(stderr, "suai: --fail-on: %llu exchange%s lost: a table is full\n",
		(unsigned long long)n_exchanges, n_exchanges == 1 ? " was" : "s were");
}

static void report_untraced(uint32_t n_processes)
{
	fprintf(stderr, "suai: --fail-on: %lu process%s Python %s not traced\n",
		(unsigned long)n_processes, n_processes == 1 ? " that runs" : "es that run",
		n_processes == 1 ? "was" : "were");
}

/* The exit code for --fail-on without findings: a failure if nothing, or not everything, was
 * traced, with the reason on standard error. Also notes what a trace without findings does not
 * prove. Prints nothing after a document on standard error, which contains all of this. */
static int fail_untraced(const struct trace_settings *settings, const struct exchange_list *list)
{
	const bool is_silent = is_document_on_stderr(settings);
	const bool misses_processes = settings->follow && list->n_untraced;

	if (!settings->fail_on.n_items)
		return EXIT_DONE;
	if (!list->n_traced && !is_silent)
		report_nothing_traced(settings, list);
	if (!list->n_traced)
		return EXIT_FINDINGS;
	if (list->n_lost && !is_silent)
		report_lost(list->n_lost);
	if (misses_processes && !is_silent)
		report_untraced(list->n_untraced);
	if (list->n_lost || misses_processes)
		return EXIT_FINDINGS;
	if (is_silent)
		return EXIT_DONE;
	if (list->n_untraced)
		note_untraced(list->n_untraced);
	else if (!list->total.site.exchanges.value && !list->n_below && !settings->follow)
		fprintf(stderr,
			"suai: note: --fail-on: no exchange was seen; processes that the program starts are traced with --follow only\n");
	return EXIT_DONE;
}

/* The arguments of a function that writes a format. */
struct trace_report {
	const char *format;
	struct trace_check *check;
	const struct exchange_list *list;
	const struct exchange_report *report;
	const struct value *document;
};

static int write_text_report(
	const struct trace_report *report, struct format_output *output, struct err *err)
{
	return exchanges_write_text(output, report->document, err);
}

static int write_yaml_report(
	const struct trace_report *report, struct format_output *output, struct err *err)
{
	return yaml_write_document(output->stream, report->document, err);
}

static int write_json_report(
	const struct trace_report *report, struct format_output *output, struct err *err)
{
	return json_write_document(output->stream, report->document, err);
}

static int write_findings_report(
	const struct trace_report *report, struct format_output *output, struct err *err)
{
	return trace_check_write(
		report->check, format_find(report->format), output, report->list, err);
}

static int write_events_report(
	const struct trace_report *report, struct format_output *output, struct err *err)
{
	return exchanges_write_perfetto(
		output->stream, report->list, report->document, report->report, err);
}

static int write_report_document(
	const struct trace_report *report, struct format_output *output, struct err *err)
{
	static const struct {
		const char *name;
		int (*write)(const struct trace_report *report, struct format_output *output,
			struct err *err);
	} formats_of_reports[] = { FORMAT_ROWS(REPORT_FORMATS) };
	size_t i = 0;

	while (strcmp(formats_of_reports[i].name, report->format) != 0)
		i++;
	return formats_of_reports[i].write(report, output, err);
}

/* Writes the report to -o or standard error; standard output belongs to the program. */
static int write_trace_report(const struct trace_settings *settings,
	const struct trace_report *report, struct result_file *file, struct err *err)
{
	struct format_output output = { .stream = stderr,
		.command = "trace",
		.terminal = terminal_find(STDERR_FILENO, false, settings->shared.color),
		.verbosity = settings->shared.quiet ? -1 : settings->shared.verbose };

	if (settings->shared.output_path) {
		output.stream = file->stream;
		output.terminal = result_file_terminal(file, settings->shared.color);
	}
	if (write_report_document(report, &output, err))
		return settings->shared.output_path ? result_file_fail(file, err) : -1;
	return settings->shared.output_path ? result_file_commit(file, err) : 0;
}

/* The line on the terminal while the program runs. */
struct live_line {
	struct progress progress;
	int memory_fd;
};

static void draw_live_line(void *context)
{
	struct live_line *line = context;
	const struct exchange_sums sums = exchanges_sum(line->memory_fd);
	double passed, copied;
	const char *passed_unit = byte_size_scale(sums.n_bytes, &passed),
		   *copied_unit = byte_size_scale(sums.n_copied_bytes, &copied);
	char text[128];

	snprintf(text, sizeof(text), "%llu exchange%s, %.1f %s passed, %.1f %s copied",
		(unsigned long long)sums.n_exchanges, plural((long long)sums.n_exchanges), passed,
		passed_unit, copied, copied_unit);
	progress_show_text(&line->progress, text);
}

static int run_traced_program(const struct trace_settings *settings, const char *path,
	const struct option_list *words, int memory_fd, int *wait_status, struct err *err)
{
	struct live_line line = { .memory_fd = memory_fd };
	struct trace_watch watch = { 0 };
	int status;

	progress_begin(&line.progress, settings->shared.verbose && !settings->shared.quiet, 0, "");
	if (line.progress.is_on)
		watch = (struct trace_watch){ draw_live_line, &line };
	status = traced_program_run(
		path, words->items, words->n_items, memory_fd, &watch, wait_status, err);
	progress_end(&line.progress);
	return status;
}

static bool has_events(const struct trace_settings *settings)
{
	return !strcmp(settings->shared.format, "perfetto");
}

static uint32_t chosen_events(const struct trace_settings *settings)
{
	return settings->max_events == EVENTS_UNSET ? DEFAULT_EVENTS
						    : (uint32_t)settings->max_events;
}

static void note_dropped_events(uint64_t n_events)
{
	if (n_events)
		fprintf(stderr,
			"suai: note: %llu exchange%s not recorded individually because --max-events was reached; the totals include them\n",
			(unsigned long long)n_events, n_events == 1 ? " was" : "s were");
}

/* One run of a program. */
struct traced_run {
	const struct trace_settings *settings;
	const struct option_list *words; /* the command line of the program */
	const char *path;                /* of the program */
	struct trace_check check;
	struct result_file file; /* of -o */
	int code;                /* the exit code of suai */
	int wait_status;         /* of the program */
};

/* The exit code for a program that succeeded: --fail-on may find something. */
static int code_of_success(const struct trace_settings *settings, const struct exchange_list *list)
{
	return report_failures(settings, list, is_document_on_stderr(settings))
		       ? EXIT_FINDINGS
		       : fail_untraced(settings, list);
}

static int report_run(struct traced_run *run, struct arena *arena, struct exchange_list *list,
	uint32_t layers, struct err *err)
{
	const struct trace_settings *settings = run->settings;
	const bool is_silent = settings->shared.quiet || is_document_on_stderr(settings);
	char name[SIGNAL_NAME_BYTES];
	struct exchange_report report = { .program = run->words->items,
		.n_words = run->words->n_items,
		.exit_status = run->code,
		.only_copies = settings->copies,
		.only_held = settings->held,
		.only_unordered = settings->order,
		.summary = &run->check.summary };

	if (WIFSIGNALED(run->wait_status))
		report.signal = signal_name(WTERMSIG(run->wait_status), name);
	run->check.ignores.is_partial = run->code != 0;
	trace_check_call_sites(&run->check, list, layers);
	/* A program that failed keeps its exit status if nothing reads the report. */
	if (run->code)
		signal(SIGPIPE, SIG_IGN);
	if (write_trace_report(settings,
		    &(struct trace_report){ settings->shared.format, &run->check, list, &report,
			    exchanges_document(arena, list, &report) },
		    &run->file, err))
		return -1;
	if (!is_silent)
		note_dropped_events(exchanges_dropped(list));
	return trace_check_end(&run->check, is_silent, err);
}

static void note_few_processes(uint32_t n_processes)
{
	if (n_processes < TRACE_MAX_SEGMENTS)
		fprintf(stderr,
			"suai: note: the limit on the size of files (ulimit -f) allows --follow to trace %u process%s\n",
			n_processes, n_processes == 1 ? "" : "es");
}

/* Runs the program and reports. */
static int trace_program(struct traced_run *run, struct err *err)
{
	const struct trace_settings *settings = run->settings;
	const struct trace_choice choice = { .layers = chosen_layers(settings),
		.min_bytes = (uint64_t)settings->min_bytes,
		.is_following = settings->follow,
		.max_events = has_events(settings) ? chosen_events(settings) : 0 };
	struct exchange_list list = { 0 };
	struct arena arena = { 0 };
	int status = -1, memory_fd = traced_program_memory(&choice, err);

	if (memory_fd < 0)
		return -1;
	if (settings->follow && !is_document_on_stderr(settings))
		note_few_processes(traced_program_max_processes(&choice));
	if (!run_traced_program(
		    settings, run->path, run->words, memory_fd, &run->wait_status, err) &&
		!exchanges_read(&list, &arena, memory_fd, err)) {
		run->code = traced_program_exit_status(run->wait_status);
		status = report_run(run, &arena, &list, choice.layers, err);
		if (!status && !run->code)
			run->code = code_of_success(settings, &list);
		if (!status)
			note_unknown_leaks(settings, &list);
	}
	arena_free(&arena);
	close(memory_fd);
	return status;
}

/* The exit code of suai. A program that failed keeps its exit status, or the signal that ended it,
 * even if its report is lost. */
static int end_trace(const struct traced_run *run, int status, const struct err *err)
{
	if (status && !run->wait_status)
		return status;
	if (status)
		notice("%s", err->message);
	traced_program_die(run->wait_status);
	return run->wait_status ? traced_program_exit_status(run->wait_status) : run->code;
}

/* Refuses a path that exists and cannot be executed. */
static int check_executable(const char *path, struct err *err)
{
	struct stat file;

	if (!strchr(path, '/') || stat(path, &file))
		return 0;
	if (S_ISREG(file.st_mode) && !access(path, X_OK))
		return 0;
	return err_set(err, EXIT_USAGE, "cannot run '%s': it is not an executable file", path);
}

/* Refuses a report that would replace the baseline, or a file that the program is given. */
static int check_output(
	const struct trace_settings *settings, const struct option_list *words, struct err *err)
{
	const char *path = settings->shared.output_path, *baseline = settings->baseline;

	if (!path)
		return 0;
	if (baseline && !strcmp(path, baseline))
		return err_set(err, EXIT_USAGE, "-o and --baseline name the same file: '%s'", path);
	if (baseline && run_check_input("-o", path, baseline, err))
		return -1;
	for (size_t i = 0; i < words->n_items; i++)
		if (run_check_input("-o", path, words->items[i], err))
			return -1;
	return 0;
}

static int check_trace_settings(
	const struct trace_settings *settings, const struct option_list *operands, struct err *err)
{
	if (!operands->n_items)
		return err_set(
			err, EXIT_USAGE, "trace: expected a command: suai trace -- python app.py");
	if (check_failures(settings, err))
		return -1;
	if (settings->max_events != EVENTS_UNSET && !has_events(settings))
		return err_set(err, EXIT_USAGE, "--max-events requires -f perfetto");
	return check_executable(operands->items[0], err) || check_output(settings, operands, err)
		       ? -1
		       : 0;
}

static int trace_run(void *opaque, const struct option_list *operands, struct err *err)
{
	const struct trace_settings *settings = opaque;
	const char *output_path = settings->shared.output_path;
	struct traced_run run = { .settings = settings, .words = operands };
	char *path;
	int status;

	if (check_trace_settings(settings, operands, err))
		return -1;
	path = traced_program_find(operands->items[0], err);
	if (!path)
		return -1;
	run.path = path;
	status = trace_check_open(&run.check, settings->baseline, settings->update_baseline, err);
	if (!status && output_path)
		status = result_file_open(&run.file, output_path, err);
	if (!status) {
		status = trace_program(&run, err);
		if (output_path)
			result_file_close(&run.file);
	}
	trace_check_close(&run.check);
	free(path);
	return end_trace(&run, status, err);
}

const struct command trace_command = {
	.name = "trace",
	.summary = "report the arrays that the libraries of a running program pass to each other",
	.usage = "[--] PROGRAM [ARGUMENT...]",
	.prose =
		"Runs PROGRAM, such as python app.py or pytest, and reports each exchange: which library passed memory to which, "
		"at which line of the program, how many bytes, whether it was copied, and whether it was released. "
		"The program is not modified: a preloaded library records what passes through Python's C API. Standard "
		"output and exit status are those of PROGRAM, and so is the signal that ends it; the report is written to "
		"standard error, or to the file of -o. If the program is killed, the report contains what had been seen by then; if suai is "
		"killed, the program continues.\n\n"
		"An exchange is one of these: a DLPack capsule is consumed; a tensor passes through DLPack's exchange API; a library requests the buffer of an object of another library, "
		"or reads an interface attribute of it, such as __cuda_array_interface__; a library converts or copies an array through NumPy's C API, as f2py, Cython and pybind11 do. "
		"The line is that of the innermost frame outside of site-packages and the standard library.\n\n"
		"COPIED means that the producer flagged the memory as a copy, or that the result is in other memory than its source; shared means that the result is in the memory of its source. "
		"For other exchanges, suai cannot determine which. "
		"HELD at exit is memory that had not been released when the interpreter began to shut down; RELEASED never, memory that was not "
		"released after that either; NEVER consumed, a capsule that no library used; RELEASED twice, memory whose deleter was "
		"called again.\n\n"
		"ORDER marks an exchange without an event while work is pending: on the queue of a __sycl_usm_array_interface__, or, if CUDA memory is passed "
		"without a stream, on a non-blocking stream of the producer that nothing waits for.\n\n"
		"Copies between host and CUDA devices, and waits of CUDA streams for events, are counted where a library calls the driver; "
		"they are not exchanges.\n\n"
		"suai does not see buffers that the interpreter itself requests, as for memoryview(); calls through ctypes other "
		"than those for capsules; or, without --follow, processes that the program starts. The program must be dynamically linked, use glibc, and not be "
		"setuid. CPython 3.11 or later is required.\n\n"
		"A comment '# suai: ignore[RULE, ...] reason' on the line of a call ignores findings of these rules there, "
		"by id or prefix; 'suai rule TRC' lists the rules.\n\n"
		"The exit status is that of PROGRAM. With --fail-on, it is 1 if PROGRAM succeeds but --fail-on finds something, or if nothing was traced.",
	.examples = "suai trace -- python3 app.py\n"
		    "  what the libraries of a script pass to each other\n"
		    "suai trace --copies -v -- python3 app.py\n"
		    "  every line at which memory is copied, and how to avoid that\n"
		    "suai trace -o trace.json -f json --fail-on copy,leak -- python3 app.py\n"
		    "  fail if memory is copied or not released, and write the report to a file\n",
	.options = trace_options,
	.runs_program = true,
	.settings_bytes = sizeof(struct trace_settings),
	.set_defaults = set_trace_defaults,
	.run = trace_run,
};
