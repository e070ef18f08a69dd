// SPDX-License-Identifier: MIT
/* `suai rule`: one line a rule, or the page of the only one. */
#include "formats/text/text_parts.h"

#include <string.h>

static const char *rule_text(const struct value *rule, const char *key)
{
	return value_text_or(value_get(rule, key), "");
}

static void print_part(
	struct page *page, const struct value *rule, const char *key, const char *label)
{
	const struct value *part = value_get(rule, key);

	if (!*value_text_or(part, ""))
		return;
	page_label(page, label);
	page_wrapped(page, part, PAGE_VALUE_COLUMN);
	text_add(&page->text, "\n");
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

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (!strcmp(levels[i].level, level))
			page_field(page, "level", "%s: %s", level, levels[i].meaning);
}

static void print_producers(struct page *page, const struct value *producers)
{
	for (size_t i = 0; value_is_sequence(producers) && i < producers->n_items; i++) {
		const struct value *known = producers->items[i];

		page_field(page, "known", "%s (%s): %s", rule_text(known, "type"),
			rule_text(known, "versions"), rule_text(known, "effect"));
		page_spaces(page, PAGE_VALUE_COLUMN);
		page_wrapped(page, value_get(known, "evidence"), PAGE_VALUE_COLUMN);
		text_add(&page->text, "\n");
	}
}

static void print_example(struct page *page, const struct value *example)
{
	bool passes = value_bool_or(value_get(example, "passes"), false);
	const char *line = rule_text(example, "text");

	text_add(&page->text, "\n");
	page_styled(page, passes ? STYLE_GOOD : STYLE_ERROR, "%s", passes ? "passes" : "fails");
	page_styled(page, STYLE_DIM, " (%s)\n", rule_text(example, "name"));
	while (*line) {
		size_t n_chars = strcspn(line, "\n");

		if (n_chars)
			page_spaces(page, PAGE_LABEL_COLUMN);
		text_add_bytes(&page->text, line, n_chars);
		text_add(&page->text, "\n");
		line += n_chars + (line[n_chars] == '\n');
	}
}

static const char *find_example(const struct value *examples, const char *name)
{
	for (size_t i = 0; value_is_sequence(examples) && i < examples->n_items; i++)
		if (value_is_text(value_get(examples->items[i], "name"), name))
			return rule_text(examples->items[i], "text");
	return "";
}

static void print_title(struct page *page, const struct value *rule)
{
	const char *severity = rule_text(rule, "severity");

	page_styled(page, STYLE_STRONG, "%s %s", rule_text(rule, "rule"), rule_text(rule, "name"));
	text_add(&page->text, " (");
	page_styled(page, page_severity_style(severity), "%s", severity);
	text_add(&page->text, ")\n");
}

static void print_rule_page(struct page *page, const struct value *rule)
{
	const struct value *examples = value_get(rule, "examples");

	print_title(page, rule);
	print_part(page, rule, "says", "what");
	print_part(page, rule, "why", "why");
	print_part(page, rule, "hint", "fix");
	print_part(page, rule, "clause", "clause");
	print_level(page, rule_text(rule, "level"));
	page_list(page, "protocols", value_get(rule, "protocols"));
	page_list(page, "reads", value_get(rule, "facts"));
	page_list(page, "requires", value_get(rule, "needs"));
	page_list(page, "subsumed by", value_get(rule, "said_by"));
	print_part(page, rule, "took_over", "replaces");
	print_part(page, rule, "since", "since");
	print_part(page, rule, "until", "until");
	print_producers(page, value_get(rule, "known_producers"));
	text_before_after(
		page, find_example(examples, "bad.yaml"), find_example(examples, "good.yaml"));
	for (size_t i = 0; value_is_sequence(examples) && i < examples->n_items; i++)
		print_example(page, examples->items[i]);
}

static void print_rule_line(struct page *page, const struct value *rule)
{
	const char *severity = rule_text(rule, "severity");

	page_styled(page, STYLE_STRONG, "%-8s", rule_text(rule, "rule"));
	page_styled(page, page_severity_style(severity), " %-8s", severity);
	text_printf(&page->text, "%s\n", rule_text(rule, "says"));
}

void text_rules(struct page *page, const struct value *rules)
{
	if (!value_is_sequence(rules))
		return;
	for (size_t i = 0; i < rules->n_items; i++)
		if (rules->n_items == 1)
			print_rule_page(page, rules->items[i]);
		else
			print_rule_line(page, rules->items[i]);
}
