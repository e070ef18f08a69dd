// SPDX-License-Identifier: MIT
/* `suai matrix`: what happens to an array of each library in each function of the others. */
#include "cli/command.h"
#include "matrix/matrix_diff.h"
#include "matrix/matrix_formats.h"
#include "matrix/matrix_read.h"
#include "output/notice.h"
#include "run/matrix_run.h"
#include "settings/config.h"

#include <string.h>

struct matrix_settings {
	struct shared_settings shared;
	const char *placement;
	struct option_list only;
	const char *diff;
	const char *from;
};

/* Name and function of each format. */
#define MATRIX_FORMATS(FIRST, EACH)             \
	FIRST("text", matrix_write_text)        \
	EACH("markdown", matrix_write_markdown) \
	EACH("json", matrix_write_json)         \
	EACH("html", matrix_write_html)

static const struct option options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct matrix_settings, shared.format),
		.argument = "FORMAT",
		.choices = FORMAT_CHOICES(MATRIX_FORMATS),
		.help = "print text (default), markdown, json or html",
		.more = "html is one page that requires no other file, with filters, reasons and reproductions." },
	{ .name = "only",
		.kind = OPTION_LIST,
		.offset = offsetof(struct matrix_settings, only),
		.argument = "PRODUCER:CONSUMER",
		.help = "examine only this pair, such as jax:numpy.asarray; repeatable",
		.more = "PRODUCER is a library, CONSUMER a library or one of its functions. The id of a cell, "
			"'jax>numpy.asarray', is accepted as well." },
	{ .name = "placement",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct matrix_settings, placement),
		.argument = "WHERE",
		.choices = "aligned offset pending all",
		.help = "place memory at a multiple of 64 bytes (aligned, default), 4 bytes past one (offset), with work pending on the producer's queue (pending), or all",
		.more = "Libraries share or copy memory depending on its alignment, so that results of memory from malloc "
			"differ from run to run. pending applies to libraries whose arrays have a queue, such as dpnp: work that writes the "
			"elements is pending when the consumer is called, and a consumer that does not wait for it reads others. At the other "
			"placements the queue was waited for." },
	{ .name = "diff",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct matrix_settings, diff),
		.argument = "OLD.json",
		.complete = "file",
		.help = "print only the cells that changed since OLD.json; exit with 1 if any did",
		.more = "OLD.json is the output of an earlier run with -f json. Only states are compared, not reasons. A pair that only "
			"one of the runs examined is a change, unless names of libraries or --only exclude it. The output is text." },
	{ .name = "from",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct matrix_settings, from),
		.argument = "FILE.json",
		.complete = "file",
		.help = "write the document of an earlier run in another format; run nothing",
		.more = "FILE.json is the output of -f json. Names of libraries, --only and --placement are ignored." },
	{ .letter = 'j',
		.name = "jobs",
		.kind = OPTION_NUMBER,
		.offset = offsetof(struct matrix_settings, shared.jobs),
		.most = JOBS_MAX,
		.argument = "N",
		.help = "run N workers in parallel (default 1)",
		.more = "0 means the number of cores. The result does not depend on N." },
	{ 0 },
};

static void set_matrix_defaults(void *opaque)
{
	struct matrix_settings *settings = opaque;

	settings->placement = "aligned";
}

static int write_in_format(const char *name, const struct format_output *output,
	const struct value *document, struct err *err)
{
	static const struct {
		const char *name;
		int (*write)(const struct format_output *output, const struct value *document,
			struct err *err);
	} rows[] = { FORMAT_ROWS(MATRIX_FORMATS) };
	size_t i = 0;

	while (strcmp(rows[i].name, name) != 0)
		i++;
	return rows[i].write(output, document, err);
}

/* Writes the document, or what changed since before (NULL: no --diff). *code is the exit code. */
static int write_document(struct run *run, const struct matrix_choice *choice,
	const struct value *before, const struct value *document, enum exit_code *code,
	struct err *err)
{
	const struct matrix_settings *settings = run->context;
	struct format_output output;
	struct result_file file;
	size_t n_changed;
	int status;

	if (run_open_output(run, run->settings->output_path, &file, &output, err))
		return -1;
	if (before) {
		status = matrix_diff_write(
			&output, settings->from ? NULL : choice, before, document, &n_changed, err);
		*code = n_changed ? EXIT_FINDINGS : EXIT_DONE;
	} else {
		status = write_in_format(run->settings->format, &output, document, err);
	}
	status = status ? result_file_fail(&file, err) : result_file_commit(&file, err);
	result_file_close(&file);
	return status;
}

/* EXIT_FINDINGS if elements were wrong or a process was lost. */
static enum exit_code matrix_exit_code(const struct value *document)
{
	const struct value *cells = value_get(document, "cells");

	for (size_t i = 0; i < cells->n_items; i++) {
		const char *name = value_text_or(value_get(cells->items[i], "state"), "");

		if (cell_needs_proof(cell_state_from_name(name)))
			return EXIT_FINDINGS;
	}
	return EXIT_DONE;
}

/* Why the chosen libraries form no pair. */
static const char *find_missing_side(const struct matrix *matrix)
{
	bool has_producer = false, has_consumer = false;

	for (size_t i = 0; i < matrix->n_libraries; i++) {
		has_producer |= matrix->libraries[i].adapter->producer != NULL;
		has_consumer |= matrix->libraries[i].adapter->consumers[0].name != NULL;
	}
	return !has_producer   ? "none of the libraries is a producer"
	       : !has_consumer ? "none of the libraries has a consumer"
			       : "no producer has arrays for --placement";
}

/* A new document of all that was chosen. NULL with err set. */
static const struct value *examine_matrix(
	struct run *run, struct matrix *matrix, const struct matrix_choice *choice, struct err *err)
{
	if (matrix_plan(matrix, choice, err))
		return NULL;
	if (!matrix->n_cells)
		notice("no pair of a producer and a consumer: %s", find_missing_side(matrix));
	if (matrix_run(run, matrix, choice, err))
		return NULL;
	return matrix_to_value(matrix);
}

static int check_matrix_settings(const struct matrix_settings *settings, struct err *err)
{
	if (settings->diff && settings->shared.format_origin == FORMAT_CHOSEN)
		return err_set(err, EXIT_USAGE, "--diff cannot be used with --format");
	if (settings->diff && settings->shared.format_origin == FORMAT_OF_SUFFIX)
		return err_set(err, EXIT_USAGE,
			"--diff writes text: '%s' is the name of a file in another format",
			settings->shared.output_path);
	return 0;
}

static int matrix_command_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct matrix_settings *settings = opaque;
	const struct config *config = settings->shared.config;
	struct arena arena = { 0 };
	struct run run = { .command = "matrix",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .facts = FACT_CONSUMER },
		.context = settings };
	struct matrix matrix = { .arena = &arena };
	const struct matrix_choice choice = { .libraries = operands->items,
		.n_libraries = operands->n_items,
		.pairs = settings->only.items,
		.n_pairs = settings->only.n_items,
		.placement = settings->placement,
		.added = config ? config->adapters : NULL };
	const struct value *before = NULL, *document = NULL;
	enum exit_code code;
	int status = -1;

	if (check_matrix_settings(settings, err))
		goto out;
	if (settings->diff) {
		before = matrix_read(&arena, "--diff", settings->diff, err);
		if (!before)
			goto out;
	}
	document = settings->from ? matrix_read(&arena, "--from", settings->from, err)
				  : examine_matrix(&run, &matrix, &choice, err);
	if (!document)
		goto out;
	code = matrix_exit_code(document);
	if (!write_document(&run, &choice, before, document, &code, err))
		status = (int)code;
out:
	arena_free(&arena);
	return status;
}

const struct command matrix_command = {
	.name = "matrix",
	.summary =
		"pass arrays from each installed library to each other one; report which are shared, copied, refused or wrong",
	.usage = "[LIBRARY...]",
	.prose =
		"For every ordered pair of the libraries that the interpreter can import, or only of those named, suai fills "
		"memory, has the first library make an array of it, passes that to functions of the second one, and compares the "
		"elements of the result and the memory that it uses with what suai wrote. A battery of 23 arrays covers element types, shapes, "
		"strides and read-only memory.\n\n"
		"The states of an array, worst first: CRASH, HANG and left (how the process was lost), WRONG (other elements, "
		"without an exception), wrong order (elements read before the work that writes them), reshaped (another shape), narrowed (elements of a type with fewer values), unknown (the result proves nothing), "
		"refused (an exception), copied, shared, absent (not installed, or the first library has no such array). A cell of the table "
		"has its worst state. A loss is reported only if it happens again in a process that does nothing else, and WRONG and wrong order only if the same "
		"elements differ in three processes.\n\n"
		"Two runs with the same versions, options and devices give the same bytes. The document names the CPU, and the device of each library whose arrays can be elsewhere. The key adapters of suai.yaml adds libraries.\n\n"
		"The exit status is 1 if a cell is CRASH, HANG, left, WRONG or wrong order, or with --diff if a cell changed.",
	.examples = "suai matrix -j0\n"
		    "  all pairs of the installed libraries\n"
		    "suai matrix numpy jax\n"
		    "  the pairs of two libraries\n"
		    "suai matrix --only jax:numpy.asarray -v\n"
		    "  one pair, with all reasons\n"
		    "suai matrix numpy -o matrix.json\n"
		    "  every outcome, its reason and its reproduction\n"
		    "suai matrix --from matrix.json -o matrix.html\n"
		    "  a page with filters, of that run\n",
	.options = options,
	.shares = true,
	.settings_bytes = sizeof(struct matrix_settings),
	.set_defaults = set_matrix_defaults,
	.run = matrix_command_run,
};
