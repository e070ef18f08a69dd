// SPDX-License-Identifier: MIT
/* --show-settings: the settings in effect, as lines of suai.yaml, with the source of each. */
#include "base/memory.h"
#include "formats/json/json_write.h"
#include "model/escape.h"
#include "settings/config.h"
#include "settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_COLUMN = 40 };

bool settings_wanted(const struct command *command, const void *settings)
{
	return command->shares && ((const struct shared_settings *)settings)->show_settings;
}

static struct value *list_to_value(struct arena *arena, const struct option_list *list)
{
	struct value *value = value_list(arena);

	for (size_t i = 0; i < list->n_items; i++)
		value_append(arena, value, value_text_escaped(arena, list->items[i]));
	return value;
}

static struct value *option_to_value(
	struct arena *arena, const struct option *row, const void *settings)
{
	const void *field = (const char *)settings + row->offset;
	const char *text;

	switch (row->kind) {
	case OPTION_FLAG:
		return value_bool(arena, *(const bool *)field);
	case OPTION_NUMBER:
	case OPTION_OPTIONAL_NUMBER:
		return value_int(arena, *(const int64_t *)field);
	case OPTION_LIST:
		return list_to_value(arena, field);
	default:
		text = *(const char *const *)field;
		if (!text && row->environment)
			text = getenv(row->environment);
		return value_text_escaped(arena, text && *text ? text : NULL);
	}
}

/* One line: the value in JSON, which is valid YAML. */
static int print_line(
	const char *name, const struct value *value, const char *source, struct err *err)
{
	struct json_writer writer = { .syntax = ESCAPE_YAML };
	char *line = NULL;
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&line, &n_bytes);
	int status;

	status = stream ? json_write_value(&writer, stream, value, err) : -1;
	if (!stream || fclose(stream) || !line) /* fails only if out of memory */
		mem_fail();
	if (!status) {
		printf("%s: %-*s # ", name, (int)(SOURCE_COLUMN - strlen(name)), line);
		escape_print(stdout, source ? source : "default");
		fputs("\n", stdout);
	}
	free(line);
	json_writer_free(&writer);
	return status;
}

/* Adds the items of a list or a map to those of other files; the first file's keys win. */
static struct value *merge_layers(
	struct arena *arena, struct value *merged, const struct value *more)
{
	if (!merged)
		merged = value_is(more, VALUE_MAP) ? value_map(arena) : value_list(arena);
	if (!value_is(more, VALUE_MAP) && !value_is_sequence(more))
		value_append(arena, merged, value_copy(arena, more));
	for (size_t i = 0; value_is_sequence(more) && i < more->n_items; i++)
		value_append(arena, merged, value_copy(arena, more->items[i]));
	for (size_t i = 0; value_is(more, VALUE_MAP) && i < more->n_items; i++)
		if (!value_get(merged, more->keys[i]))
			value_set(arena, merged, more->keys[i], value_copy(arena, more->items[i]));
	return merged;
}

/* A key that is not an option: the values of the files, the nearest first. */
static int print_key(const struct config *config, const struct config_key *key, struct err *err)
{
	struct arena arena = { 0 };
	struct value *merged = NULL;
	const char *source = NULL;
	int status;

	for (size_t i = 0; i < config->n_files && (key->merges || !merged); i++) {
		const struct config_file *file = &config->files[i];
		const struct value *value = value_get(file->keys, key->name);

		if (value_is_null(value))
			continue;
		merged = merge_layers(&arena, merged, value);
		source =
			arena_printf(&arena, "%s%s%s:%zu", source ? source : "", source ? ", " : "",
				file->path, yaml_mark_of(&file->marks, value)->key_line);
	}
	status = print_line(key->name, merged ? merged : value_null(&arena), source, err);
	arena_free(&arena);
	return status;
}

int settings_show(const struct command *command, const void *settings, struct err *err)
{
	const struct config *config = ((const struct shared_settings *)settings)->config;
	const struct command *owner;
	const struct option *row;
	struct arena arena = { 0 };
	int status = 0;

	for (size_t i = 0; !status && (row = command_option(command, i)); i++) {
		if (settings_key(row->name, &owner) != row)
			continue;
		status = print_line(
			row->name, option_to_value(&arena, row, settings), config->sources[i], err);
	}
	for (const struct config_key *key = config_keys; !status && key->name; key++)
		if (!strcmp(key->command, command->name))
			status = print_key(config, key, err);
	arena_free(&arena);
	return status ? -1 : EXIT_DONE;
}
