// SPDX-License-Identifier: MIT
/* The github format: workflow commands, which GitHub displays at the lines of a change:
 * ::error file=arrays.py,line=3,title=SUAI103 shape-integers::arrays.py:a: shape[1] is 3.5 */
#include "base/memory.h"
#include "formats/source_location.h"
#include "formats/verdict.h"
#include "model/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct github_writer {
	struct text text, scratch;
	struct source_location_finder finder;
};

/* Moves the scratch to the text, escaped as data or as the value of a property. */
static void add_command_scratch(struct github_writer *writer, bool is_property)
{
	const char *escaped = is_property ? "%\r\n:," : "%\r\n";

	for (size_t i = 0; i < writer->scratch.n_bytes; i++) {
		char c = writer->scratch.bytes[i];

		if (c && strchr(escaped, c))
			text_printf(&writer->text, "%%%02X", (unsigned)(unsigned char)c);
		else
			text_add_bytes(&writer->text, &c, 1);
	}
	text_clear(&writer->scratch);
}

/* "::error file=arrays.py,line=3,title=" */
static void begin_command(
	struct github_writer *writer, const char *level, const struct fact_target *target)
{
	struct source_location source =
		source_location_find(&writer->finder, target->target ? target->target : "?");

	text_printf(&writer->text, "::%s ", level);
	if (source.file) {
		text_add(&writer->text, "file=");
		escape_text(&writer->scratch, source.file, strlen(source.file), ESCAPE_TERMINAL);
		add_command_scratch(writer, true);
		text_add(&writer->text, ",");
	}
	if (source.line)
		text_printf(&writer->text, "line=%" PRId64 ",", source.line);
	text_add(&writer->text, "title=");
}

/* Ends the title, which is in scratch, and begins the data with the target. */
static void end_title(struct github_writer *writer, const struct fact_target *target)
{
	add_command_scratch(writer, true);
	text_add(&writer->text, "::");
	verdict_add_line(&writer->scratch, target->target);
	text_add(&writer->scratch, ": ");
}

static void end_command(struct github_writer *writer)
{
	add_command_scratch(writer, false);
	text_add(&writer->text, "\n");
}

static void add_command_note(struct github_writer *writer, const char *label, const char *note)
{
	if (!note)
		return;
	text_printf(&writer->scratch, "\n%s: ", label);
	verdict_add_line(&writer->scratch, note);
}

static void add_finding_command(struct github_writer *writer, const struct fact_target *target,
	const struct fact_finding *finding)
{
	bool is_note = finding->severity == SEVERITY_NOTE;

	begin_command(writer, is_note ? "notice" : severity_name(finding->severity), target);
	verdict_add_line(&writer->scratch, finding->rule);
	text_add(&writer->scratch, " ");
	verdict_add_line(&writer->scratch, finding->name);
	end_title(writer, target);
	verdict_add_line(&writer->scratch, finding->message);
	add_command_note(writer, "why", finding->why);
	add_command_note(writer, "help", finding->hint);
	add_command_note(writer, "see", finding->clause);
	end_command(writer);
}

static void add_skip_command(struct github_writer *writer, const char *level,
	const struct fact_target *target, const struct fact_skip *skipped)
{
	begin_command(writer, level, target);
	text_add(&writer->scratch, "skipped ");
	verdict_add_line(&writer->scratch, skipped->rule);
	end_title(writer, target);
	verdict_add_line(&writer->scratch, skipped->reason);
	end_command(writer);
}

static void add_target_command(struct github_writer *writer, const struct fact_target *target)
{
	begin_command(writer, "error", target);
	verdict_add_line(&writer->scratch, target_status_name(target->status));
	end_title(writer, target);
	verdict_add_failure(&writer->scratch, target);
	end_command(writer);
}

static int github_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	(void)head;
	(void)err;
	output->state = mem_alloc(sizeof(struct github_writer));
	return 0;
}

static int github_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct github_writer *writer = output->state;

	if (verdict_of(output, target) == VERDICT_BROKEN)
		add_target_command(writer, target);
	for (size_t i = 0; i < target->findings.n_items; i++)
		add_finding_command(writer, target, &target->findings.items[i]);
	for (size_t i = 0; i < target->skipped.n_items && verdict_shows_skips(output); i++)
		add_skip_command(writer, output->skips_fail ? "error" : "notice", target,
			&target->skipped.items[i]);
	return verdict_flush(&writer->text, output->stream, "annotations", err);
}

static int github_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct github_writer *writer = output->state;

	(void)summary;
	(void)err;
	text_free(&writer->text);
	text_free(&writer->scratch);
	source_location_finder_free(&writer->finder);
	free(writer);
	output->state = NULL;
	return 0;
}

const struct format github_format = {
	.name = "github",
	.begin = github_begin,
	.target = github_target,
	.end = github_end,
};
