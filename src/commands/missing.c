// SPDX-License-Identifier: MIT
/* Says of a name that is not there which ones are, and which was probably meant. */
#include "commands/missing.h"

#include "base/option.h"
#include "host/find_python.h"

void missing_explain(struct arena *arena, struct value *facts)
{
	const struct value *names = value_get(facts, "names");
	const struct value *wanted = value_get(facts, "wanted");
	struct value *error = (struct value *)value_get(facts, "error");
	const char *words[256], *near, *shown = "";
	size_t n_words = 0;

	if (!value_is_sequence(names) || !value_is(wanted, VALUE_TEXT) ||
		!value_is(error, VALUE_MAP))
		return;
	for (size_t i = 0; i < names->n_items && n_words < 256; i++)
		if (value_is(names->items[i], VALUE_TEXT))
			words[n_words++] = names->items[i]->bytes;
	for (size_t i = 0; i < n_words && i < 12; i++)
		shown = arena_printf(arena, "%s%s%s", shown, i ? ", " : "", words[i]);
	if (n_words > 12)
		shown = arena_printf(arena, "%s and %zu more", shown, n_words - 12);
	near = option_suggest(wanted->bytes, words, n_words);
	value_set(arena, error, "message",
		value_textf(arena, "no name '%s'%s%s%s; %s%s", wanted->bytes,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
			n_words ? "names there: " : "the module defines no names", shown));
}

void missing_explain_module(struct arena *arena, struct value *facts, const char *python)
{
	struct value *error = (struct value *)value_get(facts, "error");
	struct python found;
	struct err ignored;

	if (!value_is_text(value_get(error, "type"), "ModuleNotFoundError"))
		return;
	if (!python_find(python, &found, &ignored))
		value_set(arena, error, "message",
			value_textf(arena, "%s in %s; --python or $SUAI_PYTHON names another",
				value_text_or(value_get(error, "message"), "no module"),
				found.executable));
	python_free(&found);
}
