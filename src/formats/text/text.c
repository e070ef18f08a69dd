// SPDX-License-Identifier: MIT
/* The text format. */
#include "base/array_size.h"
#include "base/memory.h"
#include "formats/format.h"
#include "formats/text/text_parts.h"
#include "formats/verdict.h"

#include <stdlib.h>
#include <string.h>

struct text_writer {
	struct page page;
	struct causes causes; /* validate */
	bool any;             /* target was written */
};

static const struct part {
	const char *command;
	void (*target)(struct page *page, const struct fact_target *target);
} parts[] = {
	{ "inspect", text_inspect },
	{ "convert", text_convert },
	{ "why", text_why },
};

/* Other commands show targets as inspect does. */
static const struct part *find_part(const char *command)
{
	for (size_t i = 1; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(parts[i].command, command))
			return &parts[i];
	return &parts[0];
}

/* Its targets are collected, so that one cause is printed once, and errors first. */
static bool is_validation(const struct format_output *output)
{
	return !strcmp(output->command, "validate");
}

static int text_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct text_writer *writer = mem_alloc(sizeof(*writer));

	page_begin(&writer->page, output);
	output->state = writer;
	text_devices(&writer->page, &head->devices);
	text_rules(&writer->page, &head->rules);
	return verdict_flush(&writer->page.text, output->stream, err);
}

static int text_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct text_writer *writer = output->state;

	if (is_validation(output)) {
		text_validate(&writer->page, &writer->causes, target);
	} else {
		if (writer->any && writer->page.verbosity >= 0)
			text_add(&writer->page.text, "\n");
		find_part(output->command)->target(&writer->page, target);
	}
	writer->any = true;
	arena_free(&writer->page.arena);
	return verdict_flush(&writer->page.text, output->stream, err);
}

static int text_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct text_writer *writer = output->state;
	int status;

	if (is_validation(output)) {
		text_causes(&writer->page, &writer->causes);
		if (writer->page.verbosity >= 0 && !output->no_summary)
			text_summary(&writer->page, summary, output->asks, &writer->causes);
	}
	causes_free(&writer->causes);
	arena_free(&writer->page.arena);
	status = verdict_flush(&writer->page.text, output->stream, err);
	text_free(&writer->page.text);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format text_format = {
	.name = "text",
	.keeps_partial = true,
	.begin = text_begin,
	.target = text_target,
	.end = text_end,
};
