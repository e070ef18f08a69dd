// SPDX-License-Identifier: MIT
/* The concise format: one line a finding, whatever the finding holds, and the summary. */
#include "base/memory.h"
#include "formats/text/text_parts.h"
#include "formats/verdict.h"

#include <stdlib.h>

static void begin_concise_line(
	struct page *page, const struct value *document, const char *severity)
{
	page_foreign(page, STYLE_STRONG, value_get(document, "target"));
	text_add(&page->text, ": ");
	page_styled(page, page_severity_style(severity), "%s", severity);
	text_add(&page->text, " ");
}

static void add_skip_line(
	struct page *page, const struct value *document, const struct value *skipped)
{
	begin_concise_line(page, document, page->skips_fail ? "error" : "note");
	text_add(&page->text, "skipped ");
	verdict_add_line(&page->text, value_get(skipped, "rule"));
	text_add(&page->text, ": ");
	verdict_add_line(&page->text, value_get(skipped, "reason"));
	text_add(&page->text, "\n");
}

static int concise_begin(struct output *output, const struct value *head, struct err *err)
{
	struct page *page = mem_alloc(sizeof(*page));

	(void)head;
	(void)err;
	page->color = output->color;
	page->verbosity = output->verbosity;
	page->skips_fail = output->skips_fail;
	output->state = page;
	return 0;
}

static int concise_target(struct output *output, const struct value *document, struct err *err)
{
	struct page *page = output->state;
	size_t n_findings, n_known, n_skipped;
	const struct value *findings = verdict_list(document, "findings", &n_findings);
	const struct value *known = verdict_list(document, "known", &n_known);
	const struct value *skipped = verdict_list(document, "skipped", &n_skipped);

	if (verdict_of(output, document) == VERDICT_BROKEN) {
		begin_concise_line(page, document, "error");
		verdict_add_failure(&page->text, document);
		text_add(&page->text, "\n");
	}
	for (size_t i = 0; i < n_findings; i++) {
		begin_concise_line(page, document,
			value_text_or(value_get(findings->items[i], "severity"), "error"));
		verdict_add_finding(&page->text, findings->items[i]);
		text_add(&page->text, "\n");
	}
	text_count_untried(page, document);
	if (page->verbosity > 0)
		text_steps(page, document, ": note ");
	for (size_t i = 0; i < n_known && page->verbosity > 0; i++) {
		begin_concise_line(page, document, "note");
		text_add(&page->text, "known ");
		verdict_add_finding(&page->text, known->items[i]);
		text_add(&page->text, "\n");
	}
	for (size_t i = 0; i < n_skipped && verdict_shows_skips(output); i++)
		add_skip_line(page, document, skipped->items[i]);
	return verdict_flush(&page->text, output->stream, "text", err);
}

static int concise_end(struct output *output, const struct value *summary, struct err *err)
{
	struct page *page = output->state;
	int status;

	if (page->verbosity >= 0 && !output->no_summary)
		text_summary(page, summary, output->asks);
	status = verdict_flush(&page->text, output->stream, "text", err);
	text_free(&page->text);
	free(page);
	output->state = NULL;
	return status;
}

const struct format concise_format = {
	.name = "concise",
	.begin = concise_begin,
	.target = concise_target,
	.end = concise_end,
};
