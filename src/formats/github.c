// SPDX-License-Identifier: MIT
/* The github format: workflow commands, which GitHub shows at the lines of a change:
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

/* Takes the scratch as data, or as the value of a property, which ends at a comma or colon. */
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
	struct github_writer *writer, const char *level, const struct value *document)
{
	const char *target = value_text_or(value_get(document, "target"), "?");
	struct source_location source = source_location_find(&writer->finder, target);

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

/* The title is in scratch; then the target begins the data. */
static void end_title(struct github_writer *writer, const struct value *document)
{
	add_command_scratch(writer, true);
	text_add(&writer->text, "::");
	verdict_add_line(&writer->scratch, value_get(document, "target"));
	text_add(&writer->scratch, ": ");
}

static void end_command(struct github_writer *writer)
{
	add_command_scratch(writer, false);
	text_add(&writer->text, "\n");
}

static void add_command_note(
	struct github_writer *writer, const char *label, const struct value *note)
{
	if (value_is_null(note))
		return;
	text_printf(&writer->scratch, "\n%s: ", label);
	verdict_add_line(&writer->scratch, note);
}

static void add_finding_command(
	struct github_writer *writer, const struct value *document, const struct value *finding)
{
	const char *severity = value_text_or(value_get(finding, "severity"), "error");

	begin_command(writer, strcmp(severity, "note") ? severity : "notice", document);
	verdict_add_line(&writer->scratch, value_get(finding, "rule"));
	text_add(&writer->scratch, " ");
	verdict_add_line(&writer->scratch, value_get(finding, "name"));
	end_title(writer, document);
	verdict_add_line(&writer->scratch, value_get(finding, "message"));
	add_command_note(writer, "why", value_get(finding, "why"));
	add_command_note(writer, "help", value_get(finding, "hint"));
	add_command_note(writer, "see", value_get(finding, "clause"));
	end_command(writer);
}

static void add_skip_command(struct github_writer *writer, const char *level,
	const struct value *document, const struct value *skipped)
{
	begin_command(writer, level, document);
	text_add(&writer->scratch, "skipped ");
	verdict_add_line(&writer->scratch, value_get(skipped, "rule"));
	end_title(writer, document);
	verdict_add_line(&writer->scratch, value_get(skipped, "reason"));
	end_command(writer);
}

static void add_target_command(struct github_writer *writer, const struct value *document)
{
	begin_command(writer, "error", document);
	verdict_add_line(&writer->scratch, value_get(document, "status"));
	end_title(writer, document);
	verdict_add_failure(&writer->scratch, document);
	end_command(writer);
}

static int github_begin(struct output *output, const struct value *head, struct err *err)
{
	(void)head;
	(void)err;
	output->state = mem_alloc(sizeof(struct github_writer));
	return 0;
}

static int github_target(struct output *output, const struct value *document, struct err *err)
{
	struct github_writer *writer = output->state;
	size_t n_findings, n_skipped;
	const struct value *findings = verdict_list(document, "findings", &n_findings);
	const struct value *skipped = verdict_list(document, "skipped", &n_skipped);

	if (verdict_of(output, document) == VERDICT_BROKEN)
		add_target_command(writer, document);
	for (size_t i = 0; i < n_findings; i++)
		add_finding_command(writer, document, findings->items[i]);
	for (size_t i = 0; i < n_skipped && verdict_shows_skips(output); i++)
		add_skip_command(writer, output->skips_fail ? "error" : "notice", document,
			skipped->items[i]);
	return verdict_flush(&writer->text, output->stream, "annotations", err);
}

static int github_end(struct output *output, const struct value *summary, struct err *err)
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
