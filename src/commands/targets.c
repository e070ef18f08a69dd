// SPDX-License-Identifier: MIT
/* TARGET words to sources. What ends in .py, .npy, .yaml or holds a slash is a file; the first
 * colon after that starts EXPR. */
#include "commands/targets.h"

#include <ctype.h>
#include <string.h>

static bool has_suffix(const char *text, size_t n_chars, const char *suffix)
{
	size_t n_suffix = strlen(suffix);

	return n_chars > n_suffix && !strncmp(text + n_chars - n_suffix, suffix, n_suffix);
}

static bool has_file_suffix(const char *word, size_t n_chars)
{
	static const char *const suffixes[] = { ".py", ".npy", ".yaml", ".yml" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (has_suffix(word, n_chars, suffixes[i]))
			return true;
	return false;
}

static bool is_module_name(const char *word, size_t n_chars)
{
	for (size_t i = 0; i < n_chars; i++)
		if (!isalnum((unsigned char)word[i]) && word[i] != '_' && word[i] != '.' &&
			!(word[i] & 0x80))
			return false;
	return true;
}

/*
 * The length of the name. The first colon ends a file or a module name; where what stands before it
 * is neither (a folder with a colon in its name), the first colon after a file's suffix does.
 */
static size_t name_length(const char *word)
{
	const char *colon = strchr(word, ':');

	if (colon && is_module_name(word, (size_t)(colon - word)))
		return (size_t)(colon - word);
	while (colon && !has_file_suffix(word, (size_t)(colon - word)))
		colon = strchr(colon + 1, ':');
	return colon ? (size_t)(colon - word) : strlen(word);
}

void target_split(struct arena *arena, const char *word, const char **name, const char **expression)
{
	size_t n_chars = name_length(word);

	*name = arena_copy(arena, word, n_chars);
	*expression = word[n_chars] && word[n_chars + 1] ? word + n_chars + 1 : NULL;
}

static struct source *add_source(
	struct arena *arena, struct source_list *sources, enum source_kind kind)
{
	struct source *grown = arena_alloc(arena, (sources->n_items + 1) * sizeof(*grown));

	if (sources->n_items)
		memcpy(grown, sources->items, sources->n_items * sizeof(*grown));
	sources->items = grown;
	grown[sources->n_items].kind = kind;
	return &grown[sources->n_items++];
}

static struct value *new_module(
	struct arena *arena, const char *kind, const char *name, const char *label)
{
	struct value *module = value_map(arena);

	value_set(arena, module, "kind", value_text(arena, kind));
	value_set(arena, module, "name", value_text_escaped(arena, name));
	value_set(arena, module, "label", value_text_escaped(arena, label));
	value_set(arena, module, "targets", value_null(arena));
	value_set(arena, module, "plain_expressions", value_bool(arena, !strcmp(kind, "code")));
	return module;
}

static struct value *find_module(const struct source_list *sources, const char *name)
{
	for (size_t i = 0; i < sources->n_items; i++) {
		const struct value *modules = sources->items[i].modules;

		for (size_t k = 0; modules && k < modules->n_items; k++)
			if (value_is_text(value_get(modules->items[k], "name"), name))
				return modules->items[k];
	}
	return NULL;
}

/* The modules of the last source where it is Python, else of a new one. */
static struct value *python_modules(struct arena *arena, struct source_list *sources)
{
	struct source *last = sources->n_items ? &sources->items[sources->n_items - 1] : NULL;

	if (!last || last->kind != SOURCE_PYTHON) {
		last = add_source(arena, sources, SOURCE_PYTHON);
		last->modules = value_list(arena);
	}
	return last->modules;
}

static void add_expression(struct arena *arena, struct value *module, const char *expression)
{
	struct value *targets = (struct value *)value_get(module, "targets");

	if (value_is_null(targets))
		targets = value_set(arena, module, "targets", value_list(arena));
	value_append(arena, targets, value_text_escaped(arena, expression));
}

/* A module named with and without EXPR gets two entries: all its objects are not a list of
 * expressions. */
static void add_python(
	struct arena *arena, struct source_list *sources, const char *name, const char *expression)
{
	const char *kind = has_file_suffix(name, strlen(name)) ? "file" : "module";
	struct value *module;

	name = value_text_escaped(arena, name)->bytes;
	module = find_module(sources, name);
	if (module && value_is_null(value_get(module, "targets")) == !expression) {
		if (expression)
			add_expression(arena, module, expression);
		return;
	}
	module = new_module(arena, kind, name, name);
	if (expression)
		add_expression(arena, module, expression);
	value_append(arena, python_modules(arena, sources), module);
}

static int add_word(
	struct arena *arena, struct source_list *sources, const char *word, struct err *err)
{
	const char *name, *expression;
	size_t n_chars;

	if (!*word)
		return err_set(err, EXIT_USAGE, "an empty TARGET names nothing");
	target_split(arena, word, &name, &expression);
	n_chars = strlen(name);
	if (!strcmp(word, "-") || has_suffix(name, n_chars, ".yaml") ||
		has_suffix(name, n_chars, ".yml")) {
		if (expression)
			return err_set(err, EXIT_USAGE, "'%s': a dump takes no expression", word);
		add_source(arena, sources, SOURCE_DUMP)->path = name;
		return 0;
	}
	if (has_suffix(name, n_chars, ".npy")) {
		if (expression)
			return err_set(
				err, EXIT_USAGE, "'%s': a .npy file takes no expression", word);
		add_source(arena, sources, SOURCE_NPY)->path = name;
		return 0;
	}
	if (strchr(name, '/') && !has_suffix(name, n_chars, ".py"))
		return err_set(err, EXIT_USAGE,
			"'%s' is a file of no kind that suai reads: .py, .npy, .yaml", name);
	if (!n_chars)
		return err_set(
			err, EXIT_USAGE, "'%s' names no file or module before the colon", word);
	add_python(arena, sources, name, expression);
	return 0;
}

int targets_parse(struct arena *arena, const struct option_list *operands, const char *code,
	struct source_list *sources, struct err *err)
{
	struct value *module;

	*sources = (struct source_list){ 0 };
	if (code) {
		module = new_module(arena, "code", code, "-c");
		for (size_t i = 0; i < operands->n_items; i++)
			add_expression(arena, module, operands->items[i]);
		value_append(arena, python_modules(arena, sources), module);
		return 0;
	}
	if (!operands->n_items)
		return err_set(err, EXIT_USAGE,
			"no TARGET; give FILE.py[:EXPR], package.module[:EXPR], "
			"FILE.npy, FILE.yaml or -, or -c CODE");
	for (size_t i = 0; i < operands->n_items; i++)
		if (add_word(arena, sources, operands->items[i], err))
			return -1;
	return 0;
}
