// SPDX-License-Identifier: MIT
/* Says of a name that is not there which ones are, and which was probably meant. */
#include "targets/name_hints.h"

#include "base/option.h"
#include "model/usual_names.h"
#include "supervisor/find_python.h"
#include "targets/targets.h"

#include <string.h>

/* " (is 'import numpy as np' missing?)"; empty where it is no usual name. */
static const char *usual_import(struct arena *arena, const char *name)
{
	const char *module = usual_module(name);

	if (!module)
		return "";
	return strcmp(name, module)
		       ? arena_printf(arena, " (is 'import %s as %s' missing?)", module, name)
		       : arena_printf(arena, " (is 'import %s' missing?)", module);
}

void name_hints_explain(struct arena *arena, struct value *facts)
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
		value_textf(arena, "no name '%s'%s%s%s%s; %s%s", wanted->bytes,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
			usual_import(arena, wanted->bytes),
			n_words ? "names there: " : "the module defines no names", shown));
}

void name_hints_explain_usual(struct arena *arena, struct value *facts)
{
	static const char before[] = "name '", after[] = "' is not defined";
	struct value *error = (struct value *)value_get(facts, "error");
	const char *message = value_text_or(value_get(error, "message"), "");
	size_t n_chars;

	if (!value_is_text(value_get(error, "type"), "NameError") ||
		strncmp(message, before, strlen(before)) != 0)
		return;
	message += strlen(before);
	n_chars = strcspn(message, "'");
	if (!strncmp(message + n_chars, after, strlen(after)))
		value_set(arena, error, "message",
			value_textf(arena, "%s%s", message - strlen(before),
				usual_import(arena, arena_copy(arena, message, n_chars))));
}

/* Who gives -c may still name files. */
static void explain_code(struct arena *arena, struct value *facts, const struct value *module)
{
	struct value *error = (struct value *)value_get(facts, "error");

	if (value_is_text(value_get(error, "type"), "SyntaxError") &&
		value_is_text(value_get(facts, "step"), "evaluate") &&
		value_bool_or(value_get(module, "plain_expressions"), false))
		value_set(arena, error, "message",
			value_textf(arena, "%s; with -c each TARGET is an expression, no file",
				value_text_or(value_get(error, "message"), "invalid syntax")));
}

void name_hints_explain_module(
	struct arena *arena, struct value *facts, const struct value *module, const char *python)
{
	struct value *error = (struct value *)value_get(facts, "error");
	const char *name = value_text_or(value_get(module, "name"), NULL), *kind = NULL;
	struct python found;
	struct err ignored;

	explain_code(arena, facts, module);
	if (!value_is_text(value_get(error, "type"), "ModuleNotFoundError"))
		return;
	if (name && value_is_text(value_get(facts, "status"), "missing"))
		kind = target_is_no_kind(arena, name);
	if (kind) {
		value_set(arena, error, "message", value_textf(arena, "%s", kind));
		return;
	}
	if (!python_find(python, &found, &ignored))
		value_set(arena, error, "message",
			value_textf(arena, "%s in %s; --python or $SUAI_PYTHON names another",
				value_text_or(value_get(error, "message"), "no module"),
				found.executable));
	python_free(&found);
}
