// SPDX-License-Identifier: MIT
/*
 * The tap format, version 13: one test per target, followed by its findings as a YAML block; the
 * plan is at the end. Perl's reader of these blocks supports only one-line scalars and indented
 * lists in block style.
 */
#include "base/memory.h"
#include "formats/verdict.h"
#include "formats/yaml/yaml_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tap_writer {
	struct text text, scratch;
	struct arena arena; /* of one target */
	int64_t n_tests;
};

/* The scratch, indented by two spaces, and the lists in it by two more. */
static void add_indented(struct tap_writer *writer)
{
	const char *line = writer->scratch.bytes;

	for (const char *end; line && *line; line = end + 1) {
		bool in_list = *line == ' ' || (*line == '-' && line[1] == ' ');

		end = strchr(line, '\n');
		end = end ? end : line + strlen(line) - 1;
		text_add(&writer->text, in_list ? "    " : "  ");
		text_add_bytes(&writer->text, line, (size_t)(end - line) + 1);
	}
	text_clear(&writer->scratch);
}

/* Takes the scratch. */
static struct value *scratch_to_text(struct tap_writer *writer)
{
	struct value *text =
		value_text_n(&writer->arena, writer->scratch.bytes, writer->scratch.n_bytes);

	text_clear(&writer->scratch);
	return text;
}

static void set_line(
	struct tap_writer *writer, struct value *map, const char *key, const char *text)
{
	if (!text)
		return;
	verdict_add_line(&writer->scratch, text);
	value_set(&writer->arena, map, key, scratch_to_text(writer));
}

static void set_findings(
	struct tap_writer *writer, struct value *block, const struct fact_finding_list *findings)
{
	struct value *list = value_list(&writer->arena);

	for (size_t i = 0; i < findings->n_items; i++) {
		const struct fact_finding *finding = &findings->items[i];
		struct value *map = value_append(&writer->arena, list, value_map(&writer->arena));

		set_line(writer, map, "rule", finding->rule);
		set_line(writer, map, "name", finding->name);
		set_line(writer, map, "severity", severity_name(finding->severity));
		set_line(writer, map, "protocol", finding->protocol);
		set_line(writer, map, "field", finding->field);
		set_line(writer, map, "message", finding->message);
		set_line(writer, map, "why", finding->why);
		set_line(writer, map, "hint", finding->hint);
		set_line(writer, map, "clause", finding->clause);
	}
	if (list->n_items)
		value_set(&writer->arena, block, "findings", list);
}

static void set_skips(
	struct tap_writer *writer, struct value *block, const struct fact_skip_list *skipped)
{
	struct value *list = value_list(&writer->arena);

	for (size_t i = 0; i < skipped->n_items; i++) {
		struct value *map = value_append(&writer->arena, list, value_map(&writer->arena));

		set_line(writer, map, "rule", skipped->items[i].rule);
		set_line(writer, map, "reason", skipped->items[i].reason);
	}
	if (list->n_items)
		value_set(&writer->arena, block, "skipped", list);
}

static struct value *make_block(struct tap_writer *writer, const struct format_output *output,
	const struct fact_target *target)
{
	struct value *block = value_map(&writer->arena);

	if (verdict_of(output, target) == VERDICT_BROKEN) {
		verdict_add_failure(&writer->scratch, target);
		value_set(&writer->arena, block, "message", scratch_to_text(writer));
	}
	set_findings(writer, block, &target->findings);
	if (verdict_shows_skips(output))
		set_skips(writer, block, &target->skipped);
	if (block->n_items)
		set_line(writer, block, "type", target->type);
	return block;
}

/* A # would begin a directive. */
static void add_description(struct tap_writer *writer, const char *target)
{
	verdict_add_line(&writer->scratch, target);
	for (size_t i = 0; i < writer->scratch.n_bytes; i++) {
		char c = writer->scratch.bytes[i];

		text_add(&writer->text, c == '#' || c == '\\' ? "\\" : "");
		text_add_bytes(&writer->text, &c, 1);
	}
	text_clear(&writer->scratch);
}

static int tap_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct tap_writer *writer = mem_alloc(sizeof(*writer));

	(void)head;
	output->state = writer;
	text_add(&writer->text, "TAP version 13\n");
	return verdict_flush(&writer->text, output->stream, err);
}

static int tap_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct tap_writer *writer = output->state;
	bool passed = verdict_of(output, target) == VERDICT_PASSED;
	const struct value *block = make_block(writer, output, target);
	int status = 0;

	text_printf(&writer->text, "%sok %" PRId64 " - ", passed ? "" : "not ", ++writer->n_tests);
	add_description(writer, target->target);
	text_add(&writer->text, "\n");
	if (block->n_items) {
		status = yaml_append_document(&writer->scratch, block, err);
		add_indented(writer);
	}
	arena_free(&writer->arena);
	return status ? -1 : verdict_flush(&writer->text, output->stream, err);
}

static int tap_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct tap_writer *writer = output->state;
	int status;

	if (summary)
		text_printf(&writer->text, "1..%" PRId64 "\n", writer->n_tests);
	else
		text_add(&writer->text, "Bail out! the run did not finish\n");
	status = verdict_flush(&writer->text, output->stream, err);
	text_free(&writer->text);
	text_free(&writer->scratch);
	arena_free(&writer->arena);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format tap_format = {
	.name = "tap",
	.begin = tap_begin,
	.target = tap_target,
	.end = tap_end,
};
