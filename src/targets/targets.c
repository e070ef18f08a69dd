// SPDX-License-Identifier: MIT
/* Sorts TARGET words into sources. A word that ends in .py, .ipynb, .npy or .yaml or contains a
 * slash is a file; the first colon after that starts EXPR. */
#include "targets/targets.h"

#include "base/crc32.h"
#include "base/identifier.h"
#include "base/text.h"
#include "targets/dump.h"
#include "targets/target_files.h"

#include <string.h>
#include <sys/stat.h>

#define FILE_KINDS ".py, .ipynb, .npy or .yaml"

/* Whether a word can be meant as the name of a module. "3", the number of an option, is reported as
 * one that does not exist. */
static bool resembles_module(const char *word, size_t n_chars)
{
	for (size_t i = 0; i < n_chars; i++)
		if (!is_identifier_byte(word[i]) && word[i] != '.')
			return false;
	return true;
}

/*
 * The number of characters before EXPR. The first colon ends a file or a module name; if the text
 * before it is neither (a directory with a colon in its name), the first colon after a file's
 * suffix does.
 */
static size_t name_length(const char *word)
{
	const char *colon = strchr(word, ':');

	if (colon && resembles_module(word, (size_t)(colon - word)))
		return (size_t)(colon - word);
	while (colon && !job_is_target_file(word, (size_t)(colon - word)))
		colon = strchr(colon + 1, ':');
	return colon ? (size_t)(colon - word) : strlen(word);
}

void target_split(struct arena *arena, const char *word, const char **name, const char **expression)
{
	size_t n_chars = name_length(word);

	*name = arena_copy(arena, word, n_chars);
	*expression = word[n_chars] && word[n_chars + 1] ? word + n_chars + 1 : NULL;
}

bool target_is_file(const char *word)
{
	size_t n_chars = name_length(word);

	return job_is_target_file(word, n_chars) || memchr(word, '/', n_chars);
}

const char *target_file_problem(struct arena *arena, const char *name)
{
	struct stat there;

	if (stat(name, &there))
		return NULL;
	return S_ISDIR(there.st_mode)
		       ? arena_printf(arena,
				 "cannot read '%s': is a directory; name " FILE_KINDS
				 " files in it",
				 name)
		       : arena_printf(arena, "cannot read '%s': not a " FILE_KINDS " file", name);
}

/* The modules by their names, so that each is imported once however many targets name it: a hash
 * table with open addressing, at most half full, in the arena. */
struct module_index {
	struct job_module **slots;
	size_t n_slots, n_used;
};

/* The slot of a module, or the empty slot to put it in. n_slots is a power of two. */
static size_t find_slot(const struct module_index *index, const char *name)
{
	size_t slot = crc32_add(0, name, strlen(name)) & (index->n_slots - 1);

	for (;; slot = (slot + 1) & (index->n_slots - 1)) {
		const struct job_module *module = index->slots[slot];

		if (!module || !strcmp(module->name, name))
			return slot;
	}
}

/* Adds a module, whose name never changes; keeps it. */
static void module_index_add(
	struct arena *arena, struct module_index *index, struct job_module *module)
{
	struct module_index grown = { .n_slots = index->n_slots ? 2 * index->n_slots : 64 };

	if (2 * (index->n_used + 1) > index->n_slots) {
		grown.slots = arena_alloc(arena, grown.n_slots * sizeof(*grown.slots));
		for (size_t i = 0; i < index->n_slots; i++)
			if (index->slots[i])
				grown.slots[find_slot(&grown, index->slots[i]->name)] =
					index->slots[i];
		grown.n_used = index->n_used;
		*index = grown;
	}
	index->slots[find_slot(index, module->name)] = module;
	index->n_used++;
}

/* The state of sorting words. */
struct target_sorter {
	struct arena *arena;
	struct source_list *sources;
	struct module_index modules;
};

static struct source *add_source(struct target_sorter *sorter, enum source_kind kind)
{
	struct source_list *sources = sorter->sources;

	sources->items = arena_grow(
		sorter->arena, sources->items, sources->n_items, sizeof(*sources->items));
	sources->items[sources->n_items] = (struct source){ .kind = kind };
	return &sources->items[sources->n_items++];
}

/* Adds a module to the last source if that is Python, otherwise to a new one. */
static struct job_module *add_module(
	struct target_sorter *sorter, enum job_module_kind kind, const char *name)
{
	const struct source_list *sources = sorter->sources;
	struct source *last = sources->n_items ? &sources->items[sources->n_items - 1] : NULL;
	struct job_module *module = arena_alloc(sorter->arena, sizeof(*module));

	if (!last || last->kind != SOURCE_PYTHON)
		last = add_source(sorter, SOURCE_PYTHON);
	module->kind = kind;
	module->name = module->label = value_text_escaped(sorter->arena, name)->bytes;
	job_modules_add(sorter->arena, &last->modules, module);
	return module;
}

static void add_expression(struct arena *arena, struct job_module *module, const char *expression)
{
	job_words_add(arena, &module->expressions, value_text_escaped(arena, expression)->bytes);
}

/* A module is imported once, however often it is named. */
static void add_python(struct target_sorter *sorter, const char *name, const char *expression)
{
	size_t n_chars = strlen(name);
	enum job_module_kind kind = text_has_suffix(name, n_chars, ".ipynb") ? JOB_MODULE_NOTEBOOK
				    : job_is_target_file(name, n_chars)      ? JOB_MODULE_FILE
									     : JOB_MODULE_DOTTED;
	const struct module_index *index = &sorter->modules;
	const char *escaped = value_text_escaped(sorter->arena, name)->bytes;
	struct job_module *module = index->n_slots ? index->slots[find_slot(index, escaped)] : NULL;

	if (!module) {
		module = add_module(sorter, kind, name);
		module_index_add(sorter->arena, &sorter->modules, module);
	}
	if (expression)
		add_expression(sorter->arena, module, expression);
	else
		module->all_objects = true;
}

static int add_target_word(struct target_sorter *sorter, const char *word, struct err *err)
{
	const char *name, *expression, *problem;
	size_t n_chars;

	if (!*word)
		return err_set(err, EXIT_USAGE, "empty TARGET");
	target_split(sorter->arena, word, &name, &expression);
	n_chars = strlen(name);
	if (dump_is_capture(word)) {
		add_source(sorter, SOURCE_DUMP)->path =
			arena_copy(sorter->arena, word, strlen(word));
		return 0;
	}
	if (!strcmp(word, "-") || text_has_suffix(name, n_chars, ".yaml") ||
		text_has_suffix(name, n_chars, ".yml")) {
		if (expression)
			return err_set(
				err, EXIT_USAGE, "'%s': a dump cannot have an expression", word);
		add_source(sorter, SOURCE_DUMP)->path = name;
		return 0;
	}
	if (text_has_suffix(name, n_chars, ".npy")) {
		if (expression)
			return err_set(err, EXIT_USAGE,
				"'%s': a .npy file cannot have an expression", word);
		add_source(sorter, SOURCE_NPY)->path = name;
		return 0;
	}
	if (strchr(name, '/') && !job_is_target_file(name, n_chars)) {
		problem = target_file_problem(sorter->arena, name);
		return problem ? err_set(err, EXIT_USAGE, "%s", problem)
			       : err_set(err, EXIT_USAGE, "no such file: '%s'", name);
	}
	if (!n_chars)
		return err_set(err, EXIT_USAGE, "'%s': no file or module before the colon", word);
	add_python(sorter, name, expression);
	return 0;
}

/* -c CODE: each word is an expression in it; without words all its objects are targets. */
static void add_code(struct target_sorter *sorter, const char *code,
	const struct option_list *operands, const struct target_files *listed)
{
	struct job_module *module = add_module(sorter, JOB_MODULE_CODE, code);

	module->label = "-c";
	module->all_objects = !operands->n_items && !listed->n_items;
	for (size_t i = 0; i < operands->n_items; i++)
		add_expression(sorter->arena, module, operands->items[i]);
	for (size_t i = 0; i < listed->n_items; i++)
		add_expression(sorter->arena, module, listed->items[i].word);
}

static bool reads_stdin(const struct source_list *sources)
{
	for (size_t i = 0; i < sources->n_items; i++)
		if (sources->items[i].path && !strcmp(sources->items[i].path, "-"))
			return true;
	return false;
}

static bool has_python(const struct source_list *sources)
{
	for (size_t i = 0; i < sources->n_items; i++)
		if (sources->items[i].kind == SOURCE_PYTHON)
			return true;
	return false;
}

static int add_words(struct target_sorter *sorter, const struct target_words *words,
	const struct target_files *listed, struct err *err)
{
	for (size_t i = 0; i < words->operands->n_items; i++)
		if (add_target_word(sorter, words->operands->items[i], err))
			return -1;
	for (size_t i = 0; i < listed->n_items; i++)
		if (add_target_word(sorter, listed->items[i].word, err))
			return target_files_wrap(&listed->items[i], err);
	return 0;
}

int targets_parse(struct arena *arena, const struct target_words *words,
	struct source_list *sources, struct err *err)
{
	struct target_sorter sorter = { .arena = arena, .sources = sources };
	struct target_files listed;
	bool lists_stdin = false;

	*sources = (struct source_list){ 0 };
	if (target_files_read(arena, words->files, &listed, err))
		return -1;
	for (size_t i = 0; i < words->files->n_items; i++)
		lists_stdin |= !strcmp(words->files->items[i], "-");
	if (words->code)
		add_code(&sorter, words->code, words->operands, &listed);
	else if (!words->operands->n_items && !words->files->n_items)
		return err_set(err, EXIT_USAGE,
			"no TARGET; expected FILE.py[:EXPR], package.module[:EXPR], "
			"FILE.ipynb[:EXPR], FILE.npy, FILE.yaml, - or -c CODE; validate also reads targets from suai.yaml");
	else if (add_words(&sorter, words, &listed, err))
		return -1;
	if (words->arguments->n_items && !has_python(sources))
		return err_set(err, EXIT_USAGE,
			"'%s' after --: arguments require a TARGET that is a script, a notebook, a "
			"module or -c CODE",
			words->arguments->items[0]);
	if (lists_stdin && reads_stdin(sources))
		return err_set(err, EXIT_USAGE,
			"standard input cannot be both the list of --targets-from and the dump '-'");
	sources->reads_stdin = lists_stdin || reads_stdin(sources);
	return 0;
}

uint64_t targets_count(const struct source_list *sources)
{
	uint64_t n_targets = 0;

	for (size_t i = 0; i < sources->n_items; i++) {
		const struct job_modules *modules = &sources->items[i].modules;

		n_targets += sources->items[i].kind != SOURCE_PYTHON;
		for (size_t k = 0; k < modules->n_items; k++)
			n_targets += modules->items[k]->all_objects +
				     modules->items[k]->expressions.n_items;
	}
	return n_targets;
}
