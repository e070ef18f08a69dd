// SPDX-License-Identifier: MIT
/* The concise format: one line per finding, and the summary. */
#include "base/memory.h"
#include "formats/text/text_parts.h"
#include "formats/verdict.h"

#include <stdlib.h>

static void begin_concise_line(
	struct page *page, const struct fact_target *target, enum severity severity)
{
	page_foreign(page, STYLE_STRONG, target->target);
	text_add(&page->text, ": ");
	page_styled(page, page_severity_style(severity), "%s", severity_name(severity));
	text_add(&page->text, " ");
}

static void add_skip_line(
	struct page *page, const struct fact_target *target, const struct fact_skip *skipped)
{
	begin_concise_line(page, target, page->skips_fail ? SEVERITY_ERROR : SEVERITY_NOTE);
	text_add(&page->text, "skipped ");
	verdict_add_line(&page->text, skipped->rule);
	text_add(&page->text, ": ");
	verdict_add_line(&page->text, skipped->reason);
	text_add(&page->text, "\n");
}

static void add_suppressed_lines(struct page *page, const struct fact_target *target,
	const char *how, const struct fact_finding_list *findings)
{
	for (size_t i = 0; i < findings->n_items; i++) {
		begin_concise_line(page, target, SEVERITY_NOTE);
		text_printf(&page->text, "%s ", how);
		verdict_add_finding(&page->text, &findings->items[i]);
		text_add(&page->text, "\n");
	}
}

static int concise_begin(
	struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct page *page = mem_alloc(sizeof(*page));

	(void)head;
	(void)err;
	page_begin(page, output);
	page->terminal.columns = PAGE_UNBROKEN;
	output->state = page;
	return 0;
}

static int concise_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct page *page = output->state;

	if (verdict_of(output, target) == VERDICT_BROKEN) {
		begin_concise_line(page, target, SEVERITY_ERROR);
		verdict_add_failure(&page->text, target);
		text_add(&page->text, "\n");
	}
	for (size_t i = 0; i < target->findings.n_items; i++) {
		begin_concise_line(page, target, target->findings.items[i].severity);
		verdict_add_finding(&page->text, &target->findings.items[i]);
		text_add(&page->text, "\n");
	}
	text_count_untried(page, target);
	if (page->verbosity > 0)
		text_steps(page, target, ": note ");
	if (page->verbosity > 0) {
		add_suppressed_lines(page, target, "known", &target->known);
		add_suppressed_lines(page, target, "ignored", &target->ignored);
	}
	for (size_t i = 0; i < target->skipped.n_items && verdict_shows_skips(output); i++)
		add_skip_line(page, target, &target->skipped.items[i]);
	return verdict_flush(&page->text, output->stream, err);
}

static int concise_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct page *page = output->state;
	int status;

	if (page->verbosity >= 0 && !output->no_summary)
		text_summary(page, summary, output->asks, NULL);
	status = verdict_flush(&page->text, output->stream, err);
	text_free(&page->text);
	free(page);
	output->state = NULL;
	return status;
}

const struct format concise_format = {
	.name = "concise",
	.keeps_partial = true,
	.begin = concise_begin,
	.target = concise_target,
	.end = concise_end,
};
