// SPDX-License-Identifier: MIT
/* `suai rule`: one line per rule, or the page of a single one. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"

#include <string.h>

enum { RULE_LEVEL_COLUMN = 9, RULE_TEXT_COLUMN = 17 };

static void print_part(struct page *page, const char *label, const char *part)
{
	if (!part || !*part)
		return;
	page_label(page, label);
	page_foreign(page, STYLE_PLAIN, part);
	page_end_field(page);
}

static void print_level(struct page *page, const char *level)
{
	static const struct {
		const char *level, *meaning;
	} levels[] = {
		{ "must", "the document requires it" },
		{ "should", "the document recommends it" },
		{ "may", "the document allows it" },
		{ "logic", "it follows from the document without being stated" },
		{ "fact", "the document does not state it, but a reference consumer requires it" },
		{ "hazard", "it is legal, but breaks a known consumer" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(levels[i].level, level))
			page_field(page, "level", "%s: %s", level, levels[i].meaning);
}

static void print_producers(struct page *page, const struct fact_producer_list *producers)
{
	for (size_t i = 0; i < producers->n_items; i++) {
		const struct fact_producer *known = &producers->items[i];

		page_field(page, "known", "%s (%s): %s", known->type,
			known->versions ? known->versions : "", known->effect);
		page_spaces(page, PAGE_VALUE_COLUMN);
		page_foreign(page, STYLE_PLAIN, known->evidence);
		page_end_field(page);
	}
}

static void print_example(struct page *page, const struct fact_example *example)
{
	bool passes = example->passes == ANSWER_YES;
	const char *line = example->text;

	text_add(&page->text, "\n");
	page_styled(page, passes ? STYLE_GOOD : STYLE_ERROR, "%s", passes ? "passes" : "fails");
	page_styled(page, STYLE_DIM, " (%s)\n", example->name);
	while (*line) {
		size_t n_chars = strcspn(line, "\n");

		if (n_chars)
			page_spaces(page, PAGE_LABEL_COLUMN);
		text_add_bytes(&page->text, line, n_chars);
		text_add(&page->text, "\n");
		line += n_chars + (line[n_chars] == '\n');
	}
}

static const char *find_example(const struct fact_example_list *examples, const char *name)
{
	for (size_t i = 0; i < examples->n_items; i++)
		if (fact_text_is(examples->items[i].name, name))
			return examples->items[i].text;
	return "";
}

static void print_rule_page(struct page *page, const struct fact_rule_page *rule)
{
	page_styled(page, STYLE_STRONG, "%s %s", rule->rule, rule->name);
	text_add(&page->text, " (");
	page_styled(page, page_severity_style(rule->severity), "%s", severity_name(rule->severity));
	text_add(&page->text, ")\n");
	print_part(page, "what", rule->says);
	print_part(page, "why", rule->why);
	print_part(page, "fix", rule->hint);
	print_part(page, "clause", rule->clause);
	print_level(page, rule->level);
	page_list(page, "protocols", &rule->protocols);
	page_list(page, "reads", &rule->facts);
	page_list(page, "requires", &rule->needs);
	page_list(page, "subsumed by", &rule->said_by);
	print_part(page, "replaces", rule->took_over);
	print_part(page, "since", rule->since);
	print_part(page, "until", rule->until);
	print_producers(page, &rule->known_producers);
	text_before_after(page, find_example(&rule->examples, "bad.yaml"),
		find_example(&rule->examples, "good.yaml"));
	for (size_t i = 0; i < rule->examples.n_items; i++)
		print_example(page, &rule->examples.items[i]);
}

static void print_rule_line(struct page *page, const struct fact_rule_page *rule)
{
	page_rule(page, STYLE_STRONG, rule->rule);
	page_spaces(page, RULE_LEVEL_COLUMN - (int)strlen(rule->rule));
	page_styled(
		page, page_severity_style(rule->severity), "%-8s", severity_name(rule->severity));
	text_add(&page->text, rule->says);
	if (page->terminal.is_terminal)
		page_end_line(page, RULE_TEXT_COLUMN);
	else
		text_add(&page->text, "\n"); /* for grep */
}

void text_rules(struct page *page, const struct fact_rule_page_list *rules)
{
	for (size_t i = 0; i < rules->n_items; i++)
		if (rules->n_items == 1)
			print_rule_page(page, &rules->items[i]);
		else
			print_rule_line(page, &rules->items[i]);
}
