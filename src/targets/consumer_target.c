// SPDX-License-Identifier: MIT
/* The cases of consumers/cases.h as targets. */
#include "targets/consumer_target.h"

#include "base/identifier.h"
#include "base/option.h"
#include "consumers/cases.h"
#include "consumers/reproduce.h"
#include "model/usual_names.h"
#include "targets/call_text.h"

#include <stdbool.h>
#include <string.h>

/* The module that defines the consumer, and the consumer's name in it. */
struct named_consumer {
	enum job_module_kind kind;
	const char *module, *label, *name;
};

static int find_in_file(struct arena *arena, const char *word, struct job_call *call,
	struct named_consumer *named, struct err *err)
{
	const char *name, *expression;
	size_t n_chars;

	target_split(arena, word, &name, &expression);
	n_chars = strlen(name);
	if (!expression || n_chars < 4 || strcmp(name + n_chars - 3, ".py") != 0)
		return err_set(err, EXIT_USAGE,
			"--consumer '%s': expected module:function, FILE.py:function, or an expression "
			"with _ such as 'np.from_dlpack(_)'",
			word);
	call->expression = arena_printf(arena, "(%s)(_)", expression);
	call->spelled = word;
	*named = (struct named_consumer){ JOB_MODULE_FILE, name, name, expression };
	return 0;
}

static int find_consumer_module(struct arena *arena, const struct consumer_words *words,
	struct job_call *call, struct named_consumer *named, struct err *err)
{
	if (target_is_file(words->consumer) && !strchr(words->consumer, '('))
		return find_in_file(arena, words->consumer, call, named, err);
	if (call_text_parse(arena, "--consumer", words->consumer, call, err))
		return -1;
	if (call->function && !words->code) {
		*named = (struct named_consumer){ JOB_MODULE_DOTTED, call->module, call->module,
			call->function };
		return 0;
	}
	*named = (struct named_consumer){ JOB_MODULE_CODE, words->code ? words->code : "", "-c",
		words->consumer };
	return 0;
}

static void add_case(struct arena *arena, struct job_module *module, const char *name,
	const char *id, const struct tensor_interface *interface)
{
	size_t n_cases = module->expressions.n_items;

	job_words_add(arena, &module->expressions, arena_printf(arena, "%s[%s]", name, id));
	module->trials = arena_grow(arena, module->trials, n_cases, sizeof(*module->trials));
	module->trials[n_cases] =
		(struct job_trial){ .name = id, .protocol = interface->protocol->name };
}

/* Whether an option before has the value of that index. */
static bool is_repeated_case(const struct option_list *list, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(list->items[i], list->items[index]))
			return true;
	return false;
}

/* The id nearest to the word of those that the interface can express; NULL: none is near. */
static const char *suggest_case(
	struct arena *arena, const char *word, const struct tensor_interface *interface)
{
	const char **ids = NULL;
	size_t n_ids = 0;

	for (const struct consumer_case *row = consumer_cases; row->id; row++)
		if (consumer_case_fits(row, interface)) {
			ids = arena_grow(arena, ids, n_ids, sizeof(*ids));
			ids[n_ids++] = row->id;
		}
	return option_suggest(word, ids, n_ids);
}

static const struct consumer_case *find_case(struct arena *arena,
	const struct consumer_words *words, const char *option, const char *id, struct err *err)
{
	const struct consumer_case *row = consumer_case_find_for(arena, id, words->interface);

	if (!row && consumer_case_find(arena, id)) {
		err_set(err, EXIT_USAGE, "%s '%s': %s cannot express this tensor", option, id,
			words->interface->protocol->attribute);
	} else if (!row) {
		err_set(err, EXIT_USAGE, "%s '%s': no such case", option, id);
		err_suggest(err, suggest_case(arena, id, words->interface),
			"; 'suai complete cases' lists them");
	}
	return row;
}

/* Whether the expression is np.function(_), or another usual name's. */
static bool is_plain_call(struct arena *arena, const char *expression)
{
	size_t n_chars = strcspn(expression, "."), n_more = strcspn(expression, "(");

	return expression[n_chars] && usual_module(arena_copy(arena, expression, n_chars)) &&
	       !strcmp(expression + n_more, "(_)") &&
	       !memchr(expression + n_chars + 1, '.', n_more - n_chars - 1);
}

const char *consumer_reproduction(struct arena *arena, const struct consumer_words *words,
	const struct import_settings *settings, const char *id, struct err *err)
{
	const struct consumer_case *row = find_case(arena, words, "--reproduce", id, err);
	struct job_call call = { 0 };
	struct named_consumer named = { 0 };
	struct reproduce_names names = { .code = words->code };
	const char *imports = NULL, *error = NULL;

	if (!row || find_consumer_module(arena, words, &call, &named, err))
		return NULL;
	if (call.expression && !is_plain_call(arena, call.expression) &&
		!(named.kind == JOB_MODULE_FILE && is_dotted_name(named.name)))
		imports = consumer_imports(arena, settings, call.expression, words->code, &error);
	if (error) {
		err_set(err, EXIT_USAGE,
			"--consumer '%s': %s; use module:function, or an expression with _ such as 'np.from_dlpack(_)'",
			words->consumer, error);
		return NULL;
	}
	if (named.kind == JOB_MODULE_FILE) {
		names.file = named.module;
		names.function = named.name;
	} else {
		names.imports = imports;
	}
	return reproduce_script(arena, row, words->interface, &call, &names);
}

int consumer_targets(struct arena *arena, const struct consumer_words *words, struct job_call *call,
	struct source_list *sources, struct err *err)
{
	struct job_module *module = arena_alloc(arena, sizeof(*module));
	struct named_consumer named = { 0 };
	const char *name;

	for (size_t i = 0; i < words->cases->n_items; i++)
		if (!find_case(arena, words, "--case", words->cases->items[i], err))
			return -1;
	if (find_consumer_module(arena, words, call, &named, err))
		return -1;
	*module = (struct job_module){ .kind = named.kind,
		.name = value_text_escaped(arena, named.module)->bytes,
		.label = value_text_escaped(arena, named.label)->bytes };
	name = value_text_escaped(arena, named.name)->bytes;
	for (size_t i = 0; i < words->cases->n_items; i++)
		if (!is_repeated_case(words->cases, i))
			add_case(arena, module, name, words->cases->items[i], words->interface);
	for (const struct consumer_case *row = consumer_cases; row->id && !words->cases->n_items;
		row++)
		if (consumer_case_fits(row, words->interface))
			add_case(arena, module, name, row->id, words->interface);
	*sources = (struct source_list){ .items = arena_alloc(arena, sizeof(*sources->items)),
		.n_items = 1 };
	sources->items[0].kind = SOURCE_PYTHON;
	job_modules_add(arena, &sources->items[0].modules, module);
	return 0;
}
