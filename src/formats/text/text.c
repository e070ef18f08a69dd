// SPDX-License-Identifier: MIT
/* The text format. */
#include "base/memory.h"
#include "formats/format.h"
#include "formats/text/text_parts.h"
#include "formats/verdict.h"

#include <stdlib.h>
#include <string.h>

struct text_writer {
	struct page page;
	bool any; /* target was written */
};

static const struct part {
	const char *command;
	void (*target)(struct page *page, const struct fact_target *target);
	bool is_spaced; /* targets are separated by an empty line */
} parts[] = {
	{ "inspect", text_inspect, true },
	{ "convert", text_convert, true },
	{ "validate", text_validate, false },
};

/* Other commands show targets as inspect does. */
static const struct part *find_part(const char *command)
{
	for (size_t i = 1; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(parts[i].command, command))
			return &parts[i];
	return &parts[0];
}

static int text_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct text_writer *writer = mem_alloc(sizeof(*writer));

	writer->page.color = output->color;
	writer->page.verbosity = output->verbosity;
	writer->page.skips_fail = output->skips_fail;
	output->state = writer;
	text_devices(&writer->page, &head->devices);
	text_rules(&writer->page, &head->rules);
	return verdict_flush(&writer->page.text, output->stream, "text", err);
}

static int text_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct text_writer *writer = output->state;
	const struct part *part = find_part(output->command);

	if (writer->any && part->is_spaced && writer->page.verbosity >= 0)
		text_add(&writer->page.text, "\n");
	writer->any = true;
	part->target(&writer->page, target);
	arena_free(&writer->page.arena);
	return verdict_flush(&writer->page.text, output->stream, "text", err);
}

static int text_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct text_writer *writer = output->state;
	int status;

	if (!strcmp(output->command, "validate") && writer->page.verbosity >= 0 &&
		!output->no_summary)
		text_summary(&writer->page, summary, output->asks);
	status = verdict_flush(&writer->page.text, output->stream, "text", err);
	text_free(&writer->page.text);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format text_format = {
	.name = "text",
	.begin = text_begin,
	.target = text_target,
	.end = text_end,
};
