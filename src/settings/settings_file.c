// SPDX-License-Identifier: MIT
/* The keys of one suai.yaml: options into settings, the others into the config. */
#include "base/memory.h"
#include "model/number.h"
#include "settings/settings_layers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_path(const struct option *row, const char *word)
{
	if (!row->complete)
		return false;
	return !strcmp(row->complete, "file") ||
	       (!strcmp(row->complete, "program") && strchr(word, '/'));
}

/* {dlpack: 1.1} as dlpack=1.1, with the number as written. */
static int read_pairs(const struct config_reader *reader, const struct option *row,
	const struct value *map, struct option_list *words)
{
	for (size_t i = 0; i < map->n_items; i++) {
		const char *plain = yaml_mark_of(&reader->file->marks, map->items[i])->plain;
		const char *text = value_text_or(map->items[i], plain);
		const char *word;

		if (!text)
			return config_fail_value(reader, map->items[i],
				"%s: expected a string, got %s", row->name,
				config_kind(map->items[i]));
		word = arena_printf(&reader->config->arena, "%s=%s", map->keys[i], text);
		if (row->check && row->check(word, reader->err))
			return config_wrap_value(reader, map->items[i], row->name, reader->err);
		option_list_add(words, word);
	}
	return 0;
}

/* Describes a value that is not a boolean, or not an integer in range. */
static const char *describe_wrong_value(
	const struct config_reader *reader, const struct value *value)
{
	struct arena *arena = &reader->config->arena;
	char number[NUMBER_TEXT_BYTES];

	if (value_is(value, VALUE_REAL))
		return arena_printf(arena, "%s", number_text(value->real, number));
	if (value_is(value, VALUE_WIDE_INT))
		return arena_printf(arena, "a number of %zu digits",
			strlen(value->bytes + (*value->bytes == '-')));
	if (value_is(value, VALUE_TEXT))
		return arena_printf(arena, "the string '%s'", value->bytes);
	return config_kind(value);
}

/* The operands that give value on a command line; one for a flag and a number. */
static int read_words(const struct config_reader *reader, const struct option *row,
	const struct value *value, struct option_list *words)
{
	bool is_list = row->kind == OPTION_LIST;

	switch (row->kind) {
	case OPTION_FLAG:
		if (!value_is(value, VALUE_BOOL))
			return config_fail_value(reader, value,
				"%s: expected true or false, got %s", row->name,
				describe_wrong_value(reader, value));
		option_list_add(words, NULL);
		return 0;
	case OPTION_NUMBER:
	case OPTION_OPTIONAL_NUMBER:
		if (!value_is(value, VALUE_INT))
			return config_fail_value(reader, value, "%s: expected an integer, got %s",
				row->name, describe_wrong_value(reader, value));
		option_list_add(
			words, arena_printf(&reader->config->arena, "%" PRId64, value->integer));
		return 0;
	default:
		break;
	}
	if (is_list && strchr(row->argument, '=') && value_is(value, VALUE_MAP))
		return read_pairs(reader, row, value, words);
	if (!is_list && value_is_sequence(value))
		return config_fail_value(
			reader, value, "%s: expected one value, got a list", row->name);
	return config_read_words(reader, value, row->name, NULL, words);
}

/* Checks each item of a word, which may be a comma-separated list as on a command line. */
static int check_items(const struct option *row, char *word, struct err *err)
{
	for (char *item = word, *next; row->check && item; item = next) {
		int status;

		next = row->split ? strchr(item, ',') : NULL;
		if (next)
			*next = '\0';
		status = *item ? row->check(item, err) : 0;
		if (next)
			*next++ = ',';
		if (status)
			return -1;
	}
	return 0;
}

/* Whether the path, without its symbolic links, is not below the directory. A dangling link is not,
 * wherever it leads; a directory that does not exist contains no link. */
static bool is_linked_outside(const char *path, const char *directory)
{
	const char *slash = strrchr(path, '/');
	char *inner = mem_real_path(path), *outer = mem_real_path(*directory ? directory : ".");
	char *parent = mem_copy_text(slash ? path : "."), link;
	bool is_outside = !inner && readlink(path, &link, 1) >= 0;
	size_t n_chars;

	if (slash)
		parent[slash - path] = '\0';
	if (!inner)
		inner = mem_real_path(parent);
	if (inner && outer) {
		n_chars = strlen(outer);
		if (outer[n_chars - 1] == '/')
			n_chars--;
		is_outside |= strncmp(inner, outer, n_chars) != 0 ||
			      (inner[n_chars] && inner[n_chars] != '/');
	}
	free(inner);
	free(outer);
	free(parent);
	return is_outside;
}

/* Whether a path that a file names can lead out of the file's directory. */
static bool leads_out(const struct config_reader *reader, const char *path)
{
	if (*path == '/')
		return true;
	for (const char *at = path; *at; at += strcspn(at, "/"), at += strspn(at, "/"))
		if (strcspn(at, "/") == 2 && !strncmp(at, "..", 2))
			return true;
	return is_linked_outside(config_path(reader, path), reader->file->directory);
}

static int take_option(const struct layering *layering, const struct config_reader *reader,
	enum layer layer, const struct option *row, const struct value *value)
{
	size_t line = yaml_mark_of(&reader->file->marks, value)->key_line;
	const char *source =
		arena_printf(&layering->config->arena, "%s:%zu", reader->file->path, line);
	struct option_list words = { 0 };
	int status = read_words(reader, row, value, &words);

	for (size_t i = 0; i < words.n_items && !status; i++) {
		struct option_given given = { .row = row };
		const char *word = words.items[i];

		if (word && row->writes_file && reader->file->is_found && leads_out(reader, word)) {
			status = config_fail_key(reader, value,
				"'%s' of a discovered file must be below its directory, since suai writes to it; use --%s, or "
				"--config to name this file",
				row->name, row->name);
			break;
		}
		if (word && is_path(row, word))
			word = config_path(reader, word);
		/* Settings outlive the file's text, and lists are split in place: a copy. */
		if (word)
			given.value = arena_copy(&reader->config->arena, word, strlen(word));
		given.undone = row->kind == OPTION_FLAG && !value_bool_or(value, true);
		if ((given.value && check_items(row, given.value, reader->err)) ||
			layering_store(layering, &given, layer, source))
			status = config_wrap_value(reader,
				value_is_sequence(value) ? value->items[i] : value, row->name,
				reader->err);
	}
	option_list_free(&words);
	return status;
}

static int unknown_setting(
	const struct config_reader *reader, const char *name, const struct value *value)
{
	const char *names[128];
	const struct command *owner;
	const struct option *row;
	size_t n_names = 0;

	for (size_t i = 0; n_names < 100 && (row = settings_key_at(i, &owner)); i++)
		names[n_names++] = row->name;
	for (const struct config_key *key = config_keys; key->name; key++)
		names[n_names++] = key->name;
	for (size_t i = 0; commands[i]; i++)
		for (size_t k = 0; (row = command_option(commands[i], k)); k++)
			if (!strcmp(row->name, name))
				return config_fail_key(reader, value,
					"'%s' is a command-line option, not a key of suai.yaml",
					name);
	config_fail_key(reader, value, "unknown key '%s'", name);
	return err_suggest(
		reader->err, option_suggest(name, names, n_names), "; suai.yaml(5) lists them");
}

/* Keys of other commands are checked as well, in separate settings. */
static int check_option(const struct layering *layering, const struct config_reader *reader,
	const struct command *owner, const struct option *row, const struct value *value)
{
	void *settings = settings_new(owner);
	struct layering theirs = layering_new(owner, settings, layering->config, layering->err);
	int status = take_option(&theirs, reader, FROM_NEAREST_FILE, row, value);

	settings_free(owner, settings);
	return status;
}

static int take_key(const struct layering *layering, const struct config_reader *reader,
	enum layer layer, const char *name, const struct value *value)
{
	const struct command *owner;
	const struct option *row = settings_key(name, &owner);
	const struct config_key *key = config_keys;

	if (row && value_is_null(value))
		return 0;
	if (row && row->chooses_program && reader->file->is_found)
		return config_fail_key(reader, value,
			"'%s' chooses a program and cannot be set in a discovered file; use --%s, or --config to "
			"name this file",
			name, name);
	/* The command itself if it takes the option, otherwise the first that does. */
	owner = layering->command;
	for (size_t i = 0; row && !command_takes(owner, row); i++)
		owner = commands[i];
	if (row && owner != layering->command)
		return check_option(layering, reader, owner, row, value);
	if (row)
		return take_option(layering, reader, layer, row, value);
	while (key->name && strcmp(key->name, name) != 0)
		key++;
	if (!key->name)
		return unknown_setting(reader, name, value);
	return value_is_null(value) ? 0 : key->read(reader, value);
}

int layering_take_file(
	const struct layering *layering, const struct config_file *file, enum layer layer)
{
	const struct config_reader reader = { layering->config, file, layering->err };

	for (size_t i = 0; i < file->keys->n_items; i++)
		if (take_key(layering, &reader, layer, file->keys->keys[i], file->keys->items[i]))
			return -1;
	return 0;
}
