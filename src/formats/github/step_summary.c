// SPDX-License-Identifier: MIT
/* The step summary: a table of causes in Markdown. GitHub limits it to 1 MiB per step. */
#include "base/plural.h"
#include "base/utf8.h"
#include "formats/github/github.h"
#include "formats/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ROWS = 100, MAX_CELL_BYTES = 2000 };

/* The first line, as plain text in a cell of a table. */
static void add_cell(struct text *out, const struct text *cell)
{
	size_t n_bytes = utf8_truncated(cell->bytes, cell->n_bytes, MAX_CELL_BYTES);

	for (size_t i = 0; i < n_bytes && cell->bytes[i] != '\n'; i++) {
		char c = cell->bytes[i];

		if (c == '<')
			text_add(out, "&lt;");
		else if (c == '>')
			text_add(out, "&gt;");
		else if (c == '&')
			text_add(out, "&amp;");
		else if (strchr("\\`*_[]|~", c))
			text_printf(out, "\\%c", c);
		else
			text_add_bytes(out, &c, 1);
	}
}

static void add_row(struct text *out, const struct github_cause *cause)
{
	static const char *const labels[] = { [RANK_FAILURE] = "failed",
		[RANK_ERROR] = "error",
		[RANK_WARNING] = "warning",
		[RANK_NOTE] = "note" };

	text_printf(out, "| %s | ", labels[cause->rank]);
	add_cell(out, &cause->title);
	text_add(out, " | ");
	if (cause->n_targets) {
		add_cell(out, &cause->names);
		if (cause->n_targets > 1)
			text_printf(out, " (%" PRId64 ")", cause->n_targets);
	} else {
		add_cell(out, &cause->location);
		if (cause->line)
			text_printf(out, ":%" PRId64, cause->line);
	}
	text_add(out, " | ");
	add_cell(out, &cause->message);
	text_add(out, " |\n");
}

static void add_count(struct text *out, int64_t n, const char *noun)
{
	if (n)
		text_printf(out, ", %" PRId64 " %s%s", n, noun, plural(n));
}

static void add_report(struct text *out, const struct github_report *report)
{
	const struct fact_summary *summary = report->summary;
	int64_t n_targets = summary->targets.value, n_more = report->n_more;

	text_add(out, "### suai validate\n\n");
	if (summary->failed_targets.value)
		text_printf(out, "%" PRId64 " of ", summary->failed_targets.value);
	text_printf(out, "%" PRId64 " target%s%s", n_targets, plural(n_targets),
		summary->failed_targets.value ? " failed" : "");
	add_count(out, summary->errors.value, "error");
	add_count(out, summary->warnings.value, "warning");
	add_count(out, summary->notes.value, "note");
	if (summary->ignored.value)
		text_printf(out, ", %" PRId64 " ignored", summary->ignored.value);
	text_add(out, "\n\n");
	if (!report->n_causes)
		return;
	text_add(out, "| | rule | targets | message |\n|---|---|---|---|\n");
	for (size_t i = 0; i < report->n_causes && i < MAX_ROWS; i++)
		add_row(out, &report->causes[i]);
	n_more += report->n_causes > MAX_ROWS ? (int64_t)(report->n_causes - MAX_ROWS) : 0;
	if (n_more)
		text_printf(
			out, "\nand %" PRId64 " more; the log of the step lists them\n", n_more);
	text_add(out, "\n");
}

/* A pipe or directory in its place is an error: it must not block. */
static FILE *open_to_append(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	struct stat status;
	FILE *file = NULL;

	if (fd >= 0 && !fstat(fd, &status) && !S_ISREG(status.st_mode))
		err_set(err, EXIT_USAGE,
			"cannot append to $GITHUB_STEP_SUMMARY '%s': not a regular file", path);
	else if (fd < 0 || !(file = fdopen(fd, "a")))
		err_set(err, EXIT_USAGE, "cannot append to $GITHUB_STEP_SUMMARY '%s': %s", path,
			strerror(errno));
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

int github_write_step_summary(const struct github_report *report, struct err *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	struct text text = { 0 };
	struct err reason;
	FILE *file;
	int status = 0;

	if (!path || !*path)
		return 0;
	file = open_to_append(path, err);
	if (!file)
		return -1;
	add_report(&text, report);
	if (verdict_flush(&text, file, &reason))
		status = err_set(err, EXIT_USAGE, "cannot write '%s': %s", path, reason.message);
	if (fclose(file) && !status)
		status = err_set(err, EXIT_USAGE, "cannot write '%s': %s", path, strerror(errno));
	text_free(&text);
	return status;
}
