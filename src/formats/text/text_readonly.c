// SPDX-License-Identifier: MIT
/* How the read-only flag travels through the interfaces of one object, and where it is lost. */
#include "formats/text/text_parts.h"

static void add_answer(struct page *page, const struct value *speaker, const struct value *readonly)
{
	page_foreign(page, STYLE_PLAIN, speaker);
	if (!value_is(readonly, VALUE_BOOL))
		text_add(&page->text, " does not say");
	else
		page_styled(page, readonly->boolean ? STYLE_PLAIN : STYLE_STRONG,
			readonly->boolean ? " yes" : " no");
}

static void count(const struct value *readonly, int *n_yes, int *n_apart)
{
	if (value_bool_or(readonly, false))
		++*n_yes;
	else
		++*n_apart;
}

void text_readonly(struct page *page, const struct value *own, const struct value *interfaces)
{
	const struct value *own_readonly = value_get(own, "readonly");
	bool has_own = value_is(own_readonly, VALUE_BOOL);
	int n_yes = 0, n_apart = 0;

	if (has_own)
		count(own_readonly, &n_yes, &n_apart);
	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		if (!value_is_null(value_get(interfaces->items[i], "array")))
			count(value_at(interfaces->items[i], "array.readonly"), &n_yes, &n_apart);
	if (!n_yes || !n_apart)
		return;
	text_add(&page->text, "\n");
	page_label(page, "read-only");
	if (has_own)
		text_add(&page->text, own_readonly->boolean ? "own words yes" : "own words no");
	for (size_t i = 0, n_shown = has_own; i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];

		if (value_is_null(value_get(interface, "array")))
			continue;
		text_add(&page->text, n_shown++ ? ", " : "");
		add_answer(page, value_get(interface, "protocol"),
			value_at(interface, "array.readonly"));
	}
	text_add(&page->text, "\n");
}
