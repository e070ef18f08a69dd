// SPDX-License-Identifier: MIT
/* Settings in layers: each layer's values override those of the layer before. */
#include "settings/settings.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/words.h"
#include "settings/settings_layers.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COMMANDS = 32 };

static size_t count_options(const struct command *command)
{
	size_t n_options = 0;

	while (command_option(command, n_options))
		n_options++;
	return n_options;
}

static size_t index_of(const struct command *command, const struct option *row)
{
	size_t i = 0;

	while (command_option(command, i) != row)
		i++;
	return i;
}

static void forget(const struct layering *layering, size_t i)
{
	const struct option *row = command_option(layering->command, i);

	if (row->kind == OPTION_LIST)
		option_list_free((void *)((char *)layering->settings + row->offset));
	layering->sources[i] = NULL;
	layering->of[i] = FROM_NOWHERE;
}

/* Discards values of earlier layers that a row such as select resets. */
static void renew(const struct layering *layering, const struct option *row, enum layer layer)
{
	const struct option *other;

	for (size_t i = 0; row->renews && (other = command_option(layering->command, i)); i++)
		if (text_lists_word(row->renews, other->name) && layering->of[i] != layer)
			forget(layering, i);
}

int layering_store(const struct layering *layering, const struct option_given *given,
	enum layer layer, const char *source)
{
	size_t i = index_of(layering->command, given->row);
	const char **sources = layering->sources;

	if (layering->of[i] != layer) {
		if (!given->row->adds)
			forget(layering, i);
		renew(layering, given->row, layer);
		sources[i] = sources[i] ? arena_printf(&layering->config->arena, "%s, %s",
						  sources[i], source)
					: source;
		layering->of[i] = layer;
	}
	return option_store(given, layering->settings, layering->err);
}

struct layering layering_new(
	const struct command *command, void *settings, struct config *config, struct err *err)
{
	size_t n_options = count_options(command) + 1;

	return (struct layering){ .command = command,
		.settings = settings,
		.config = config,
		.of = arena_alloc(&config->arena, n_options * sizeof(enum layer)),
		.sources = arena_alloc(&config->arena, n_options * sizeof(char *)),
		.err = err };
}

/* Variables between the files and the command line, such as SUAI_PYTHON, are read by their users:
 * here they only discard the value of a file. */
static void take_environment(const struct layering *layering)
{
	const struct option *row;

	for (size_t i = 0; (row = command_option(layering->command, i)); i++) {
		const char *value = row->environment ? getenv(row->environment) : NULL;

		if (!value || !*value)
			continue;
		*(const char **)(void *)((char *)layering->settings + row->offset) = NULL;
		layering->sources[i] =
			arena_printf(&layering->config->arena, "%s", row->environment);
	}
}

static int take_line(const struct layering *layering, const struct option_line *line,
	enum layer layer, const char *source)
{
	for (size_t i = 0; i < line->n_items; i++)
		if (layering_store(layering, &line->items[i], layer, source))
			return err_wrap(layering->err, "--%s", line->items[i].row->name);
	return 0;
}

/* The options of $SUAI_OPTS, which must not contain targets; those of other commands are ignored.
 */
static int read_opts(const struct layering *layering, struct option_line *line)
{
	const struct option *others[MAX_COMMANDS] = { NULL };
	const struct command *command = layering->command;
	struct option_tables tables = command_tables(command);
	struct arena *arena = &layering->config->arena;
	const char *text = getenv("SUAI_OPTS");
	size_t n_words, n_others = 0;
	char **words;

	tables.others = others;
	tables.passes_arguments = false;
	others[n_others++] = target_options;
	for (size_t i = 0; commands[i] && n_others < MAX_COMMANDS - 1; i++)
		if (commands[i]->options)
			others[n_others++] = commands[i]->options;
	if (!text || !*text)
		return 0;
	words = words_split(arena, arena_printf(arena, "suai %s", text), &n_words, layering->err);
	if (!words || option_read(&tables, (int)n_words, words, line, layering->err))
		return err_wrap(layering->err, "SUAI_OPTS");
	if (line->operands.n_items)
		return err_set(layering->err, EXIT_USAGE,
			"SUAI_OPTS: '%s' is not an option; targets are given on the command line",
			line->operands.items[0]);
	return 0;
}

/* Applies --config and --isolated of the lines first, since files come before lines. */
static int load_files(const struct layering *layering, const struct option_line *const lines[2])
{
	struct shared_settings chosen = { 0 };

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < lines[l]->n_items; i++) {
			const struct option_given *given = &lines[l]->items[i];

			if (!strcmp(given->row->name, "config"))
				chosen.config_path = given->value;
			else if (!strcmp(given->row->name, "isolated"))
				chosen.isolated = true;
		}
	if (chosen.isolated && chosen.config_path)
		return err_set(
			layering->err, EXIT_USAGE, "--isolated cannot be used with --config");
	if (chosen.isolated)
		return 0;
	return config_load(layering->config, chosen.config_path, layering->err);
}

static int take_all(const struct layering *layering, const struct option_line *opts,
	const struct option_line *line)
{
	const struct option_line *const lines[] = { opts, line };
	struct config *config = layering->config;

	if (load_files(layering, lines))
		return -1;
	for (size_t i = config->n_files; i-- > 0;)
		if (layering_take_file(
			    layering, &config->files[i], i ? FROM_USERS_FILE : FROM_NEAREST_FILE))
			return -1;
	take_environment(layering);
	if (take_line(layering, opts, FROM_OPTS, "SUAI_OPTS"))
		return err_wrap(layering->err, "SUAI_OPTS");
	if (take_line(layering, line, FROM_COMMAND_LINE, "command line"))
		return err_wrap(layering->err, "%s", layering->command->name);
	return 0;
}

static int read_layers(const struct command *command, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err)
{
	const struct option_tables tables = command_tables(command);
	struct shared_settings *shared = settings;
	struct option_line opts = { 0 }, line = { 0 };
	struct config *config = mem_alloc(sizeof(*config));
	struct layering layering = layering_new(command, settings, config, err);
	int status;

	shared->config = config;
	config->sources = layering.sources;
	status = read_opts(&layering, &opts);
	if (!status && option_read(&tables, argc, argv, &line, err))
		status = err_wrap(err, "%s", command->name);
	if (!status)
		status = take_all(&layering, &opts, &line);
	for (size_t i = 0; i < line.operands.n_items; i++)
		option_list_add(operands, line.operands.items[i]);
	shared->arguments = line.arguments;
	line.arguments = (struct option_list){ 0 };
	option_line_free(&opts);
	option_line_free(&line);
	return status;
}

const char *settings_source(
	const struct command *command, const void *settings, const char *option_name)
{
	const struct config *config = ((const struct shared_settings *)settings)->config;
	const struct option *row;

	for (size_t i = 0; config && (row = command_option(command, i)); i++)
		if (!strcmp(row->name, option_name))
			return config->sources[i];
	return NULL;
}

static void free_config(void *settings)
{
	struct shared_settings *shared = settings;

	if (shared->config)
		config_free(shared->config);
	free(shared->config);
}

void *settings_new(const struct command *command)
{
	void *settings = mem_alloc(command->settings_bytes);
	struct shared_settings *shared = settings;

	if (command->shares) {
		shared->color = "auto";
		shared->host = "auto";
		shared->timeout_seconds = 60;
		shared->jobs = 1;
	}
	if (command->set_defaults)
		command->set_defaults(settings);
	return settings;
}

static void free_lists(const struct option *options, void *settings)
{
	for (; options && options->name; options++)
		if (options->kind == OPTION_LIST)
			option_list_free(
				(struct option_list *)((char *)settings + options->offset));
}

void settings_free(const struct command *command, void *settings)
{
	const struct option_tables tables = command_tables(command);

	for (size_t t = 0; t < ARRAY_SIZE(tables.of); t++)
		free_lists(tables.of[t], settings);
	if (command->shares) {
		option_list_free(&((struct shared_settings *)settings)->arguments);
		free_config(settings);
	}
	free(settings);
}

/* The option of a command whose value is at an offset of struct shared_settings; NULL: none. */
static const struct option *find_shared_option(
	const struct command *command, const char *name, size_t offset)
{
	const struct option *row;

	for (size_t i = 0; (row = command_option(command, i)); i++)
		if (!strcmp(row->name, name))
			return row->offset == offset ? row : NULL;
	return NULL;
}

/* The format of files with a suffix; NULL: none. */
static const char *format_of_suffix(const char *suffix)
{
#define SUFFIX_ROW(SUFFIX, FORMAT, NOTE) { SUFFIX, FORMAT },
	static const struct {
		const char *suffix, *format;
	} suffixes[] = { OUTPUT_SUFFIX_LIST(SUFFIX_ROW, SUFFIX_ROW) };
#undef SUFFIX_ROW

	for (size_t i = 0; suffix && i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(suffix, suffixes[i].suffix))
			return suffixes[i].format;
	return NULL;
}

/* Without -f and the key of suai.yaml, the suffix of -o selects the format, if the command has it.
 */
static void choose_format(const struct command *command, void *settings)
{
	const struct option *row =
		find_shared_option(command, "format", offsetof(struct shared_settings, format));
	const bool has_output = find_shared_option(command, "output",
					offsetof(struct shared_settings, output_path)) != NULL;
	struct shared_settings *shared = settings;
	const char *format;

	if (!row)
		return;
	if (shared->format) {
		shared->format_origin = FORMAT_CHOSEN;
		return;
	}
	shared->format = "text";
	format = has_output && shared->output_path
			 ? format_of_suffix(strrchr(shared->output_path, '.'))
			 : NULL;
	if (format && text_lists_word(row->choices, format)) {
		shared->format = format;
		shared->format_origin = FORMAT_OF_SUFFIX;
		if (shared->config)
			shared->config->sources[index_of(command, row)] = "suffix of --output";
	}
}

int settings_parse(const struct command *command, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err)
{
	const struct option_tables tables = command_tables(command);
	int status;

	if (command->shares) {
		status = read_layers(command, argc, argv, settings, operands, err);
	} else {
		status = option_parse(&tables, argc, argv, settings, operands, err);
		if (status)
			err_wrap(err, "%s", command->name);
	}
	if (!status)
		choose_format(command, settings);
	return status;
}

/* Options whose row has an example of their setting are keys of suai.yaml. The i-th key of one
 * table, or the key named name; *i counts down. */
static const struct option *find_key_in(const struct option *row, const char *name, size_t *i)
{
	for (; row && row->name; row++)
		if (row->setting && (name ? !strcmp(row->name, name) : !(*i)--))
			return row;
	return NULL;
}

/* The commands' own rows first, then the shared ones. */
static const struct option *find_setting(const char *name, size_t i, const struct command **owner)
{
	const struct option *row;

	for (size_t k = 0; commands[k]; k++) {
		row = find_key_in(commands[k]->options, name, &i);
		*owner = commands[k];
		if (row)
			return row;
	}
	*owner = NULL;
	row = find_key_in(target_options, name, &i);
	return row ? row : find_key_in(shared_options, name, &i);
}

const struct option *settings_key_at(size_t i, const struct command **owner)
{
	return find_setting(NULL, i, owner);
}

const struct option *settings_key(const char *name, const struct command **owner)
{
	return find_setting(name, 0, owner);
}

bool settings_has_keys(const struct command *command)
{
	const struct command *owner;

	for (size_t i = 0; settings_key_at(i, &owner); i++)
		if (owner == command)
			return true;
	for (const struct config_key *key = config_keys; key->name; key++)
		if (!strcmp(key->command, command->name))
			return true;
	return false;
}
