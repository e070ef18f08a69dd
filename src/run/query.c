// SPDX-License-Identifier: MIT
/* `--query`: keys of a row, a line or a column each. */
#include "run/query.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/text.h"
#include "documents/document.h"
#include "model/escape.h"
#include "protocols/protocol.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 256 };

/* The decoded interface of the named protocol or, if name is NULL, of the lowest rank; NULL: none.
 */
static const struct fact_interface *choose_interface(
	const struct fact_target *target, const char *name)
{
	const struct fact_interface *chosen = NULL;
	int rank = INT_MAX;

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &target->interfaces.items[i];
		const struct protocol *protocol = protocol_of_interface(interface);

		if (!protocol || !interface->array.present ||
			(name && strcmp(protocol->name, name) != 0) || protocol->rank >= rank)
			continue;
		chosen = interface;
		rank = protocol->rank;
	}
	return chosen;
}

/* Text without line breaks and tabs; items and the values of maps are separated by spaces. */
static void add_query_value(struct text *line, const struct value *value, enum escape_mode mode)
{
	if (line->n_bytes && !value_is_sequence(value) && !value_is(value, VALUE_MAP))
		text_add(line, " ");
	if (value_is_sequence(value) || value_is(value, VALUE_MAP))
		for (size_t i = 0; i < value->n_items; i++)
			add_query_value(line, value->items[i], mode);
	else if (!value_add_scalar(line, value))
		escape_text(line, value->bytes, value->n_bytes, mode);
}

static int print_query_value(
	FILE *out, const struct value *value, enum escape_mode mode, char end, struct err *err)
{
	struct text line = { 0 };
	int status = 0;

	if (!value_is_null(value))
		add_query_value(&line, value, mode);
	if (fprintf(out, "%s%c", line.bytes ? line.bytes : "", end) < 0)
		status = err_set(err, EXIT_USAGE, "%s", strerror(errno));
	text_free(&line);
	return status;
}

/* --- keys --- */

static bool is_listed(const struct query_keys *keys, const struct fact_field *field)
{
	return field->place != FACT_IN_WIRE && field->type != FACT_LIST &&
	       (!keys->names || text_lists_word(keys->names, field->name));
}

/* The field at a path, except in lists of records; NULL: none. */
static const struct fact_field *find_query_key(const struct query_table *table, const char *path)
{
	const struct fact_record *record = NULL;
	const struct fact_field *field = NULL;
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(table->keys) && table->keys[i].record && !field; i++) {
		record = table->keys[i].record;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, ".["), path);
		field = fact_field_at(record, name);
		if (field && !is_listed(&table->keys[i], field))
			field = NULL;
	}
	for (const char *dot = strchr(path, '.'); field && dot; dot = strchr(dot + 1, '.')) {
		snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
		field = fact_field_at(record, name);
		if (field && field->type == FACT_LIST)
			return NULL;
	}
	field = field ? fact_field_at(record, path) : NULL;
	return field && field->type == FACT_LIST ? NULL : field;
}

/* Prints the keys of a record, and of the records in it with their paths. */
static void print_record_keys(FILE *out, const struct query_keys *keys, const char *path,
	const struct fact_record *unlisted)
{
	for (size_t i = 0; i < keys->record->n_fields; i++) {
		const struct fact_field *field = &keys->record->fields[i];
		const struct query_keys inner = { field->record, NULL };
		struct text name = { 0 };

		if (!is_listed(keys, field) || (unlisted && field->record == unlisted))
			continue;
		text_printf(&name, "%s%s%s", path, *path ? "." : "", field->name);
		if (field->record)
			print_record_keys(out, &inner, name.bytes, unlisted);
		else
			fprintf(out, "%s\n", name.bytes);
		text_free(&name);
	}
}

void query_print_keys(FILE *out, const struct query_table *table)
{
	for (size_t i = 0; i < ARRAY_SIZE(table->keys) && table->keys[i].record; i++)
		print_record_keys(out, &table->keys[i], "", table->unlisted);
}

/* The key that was probably meant: that of a label of the text format, the first that begins with
 * the word, or the most similar one. In the arena; NULL: none. */
static const char *suggest_key(
	struct arena *arena, const struct query_table *table, const char *word)
{
	static const char *const labels[][2] = { { "access", "readonly" }, { "data", "pointer" },
		{ "address", "pointer" }, { "size", "nbytes" }, { "order", "c_contiguous" } };
	const char *names[MAX_KEYS], *meant = NULL, *labelled = NULL;
	char *bytes = NULL, *rest = NULL;
	size_t n_bytes, n_names = 0;
	FILE *list = open_memstream(&bytes, &n_bytes);

	if (!list)
		return NULL;
	query_print_keys(list, table);
	fclose(list);
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (!strcmp(labels[i][0], word))
			labelled = labels[i][1];
	for (char *name = strtok_r(arena_copy(arena, bytes, n_bytes), "\n", &rest);
		name && n_names < MAX_KEYS; name = strtok_r(NULL, "\n", &rest)) {
		if (labelled && !strcmp(name, labelled))
			meant = name;
		if (!meant && *word && !strncmp(name, word, strlen(word)))
			meant = name;
		names[n_names++] = name;
	}
	free(bytes);
	return meant ? meant : option_suggest(word, names, n_names);
}

/* Completes the message about a key: by the key that was meant, or by a list of all. */
static int suggest_keys(const struct query_table *table, const char *meant, struct err *err)
{
	struct text keys = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(table->keys) && table->keys[i].record; i++)
		for (size_t k = 0; k < table->keys[i].record->n_fields; k++) {
			const struct fact_field *field = &table->keys[i].record->fields[k];

			if (is_listed(&table->keys[i], field) &&
				(!table->unlisted || field->record != table->unlisted))
				text_printf(&keys, "%s%s%s%s", keys.n_bytes ? ", " : "",
					field->name, field->record ? "." : "",
					field->record ? field->record->fields[0].name : "");
		}
	err_suggest(err, meant, "; keys include %s", keys.bytes);
	text_free(&keys);
	return -1;
}

static int unknown_query_key(const struct query_table *table, const char *key, struct err *err)
{
	struct arena arena = { 0 };

	err_set(err, EXIT_USAGE, "--query: unknown key '%s' for %s", key, table->subject);
	suggest_keys(table, suggest_key(&arena, table, key), err);
	arena_free(&arena);
	return -1;
}

/* Checks one of keys. */
static int check_key(
	const struct query_table *table, const char *keys, const char *key, struct err *err)
{
	const struct fact_field *field = find_query_key(table, key);

	if (!*key) {
		if (*keys)
			err_set(err, EXIT_USAGE, "--query: '%s' contains an empty key", keys);
		else
			err_set(err, EXIT_USAGE, "--query: expected KEYS, got an empty value");
		return suggest_keys(table, NULL, err);
	}
	if (!field)
		return unknown_query_key(table, key, err);
	if (field->record)
		return err_set(err, EXIT_USAGE,
			"--query: '%s' is a group; use one of its keys, such as %s.%s", key, key,
			field->record->fields[0].name);
	return 0;
}

static bool is_tsv(const char *format)
{
	return format && !strcmp(format, "tsv");
}

int query_check(
	const struct query_table *table, const char *keys, const char *format, struct err *err)
{
	char *words = mem_copy_text(keys ? keys : ""), *rest = keys ? words : NULL;
	int status = 0;

	if (!keys && is_tsv(format))
		status = err_set(err, EXIT_USAGE, "-f tsv requires --query");
	while (rest && !status)
		status = check_key(table, keys, strsep(&rest, ","), err);
	free(words);
	return status;
}

int query_print(
	FILE *out, const struct value *row, const char *keys, const char *format, struct err *err)
{
	const enum escape_mode mode = is_tsv(format) ? ESCAPE_FIELD : ESCAPE_TERMINAL;
	char *words = mem_copy_text(keys), *rest = words;
	int status = 0;

	while (rest && status >= 0) {
		const struct value *value = value_at(row, strsep(&rest, ","));

		if (print_query_value(out, value, mode, rest && is_tsv(format) ? '\t' : '\n', err))
			status = -1;
		else if (value_is_null(value))
			status = EXIT_FINDINGS;
	}
	free(words);
	return status;
}

/* --- rows --- */

#define ARRAY_KEYS                                                                                \
	{                                                                                         \
		{ &fact_array_record, NULL }, { &fact_target_record, "target type status copy" }, \
			{ &fact_interface_record, "protocol version" },                           \
	}

const struct query_table query_arrays = {
	.subject = "an array", .keys = ARRAY_KEYS, .unlisted = &fact_conversion_record
};
const struct query_table query_conversions = { .subject = "an array", .keys = ARRAY_KEYS };

/* Adds the keys of a document's map that names lists, separated by spaces; NULL: all. */
static void add_keys(
	struct arena *arena, struct value *row, const struct value *map, const char *names)
{
	for (size_t i = 0; value_is(map, VALUE_MAP) && i < map->n_items; i++)
		if (!names || text_lists_word(names, map->keys[i]))
			value_set(arena, row, map->keys[i], map->items[i]);
}

struct value *query_array_row(
	struct arena *arena, const struct fact_target *target, const char *protocol)
{
	const struct fact_interface *chosen = choose_interface(target, protocol);
	const struct value *document = document_write(arena, target), *interface;
	struct value *row = value_map(arena);

	add_keys(arena, row, document, "target type status copy");
	if (!chosen)
		return row;
	interface = value_item(
		value_get(document, "interfaces"), (size_t)(chosen - target->interfaces.items));
	add_keys(arena, row, interface, "protocol version");
	add_keys(arena, row, value_get(interface, "array"), NULL);
	return row;
}

int query_print_target(struct run *run, FILE *out, const struct fact_target *target,
	const struct query_choice *choice, enum exit_code *code, struct err *err)
{
	struct arena arena = { 0 };
	struct value *row = query_array_row(&arena, target, choice->protocol);
	int status = query_print(out, row, choice->keys, run->settings->format, err);

	if (status == (int)EXIT_FINDINGS)
		*code = exit_code_worse(*code, EXIT_FINDINGS);
	run_report_failure(run, target, *code);
	arena_free(&arena);
	return status < 0 ? -1 : 0;
}

const struct query_table query_findings = { .subject = "a finding",
	.keys = { { &fact_target_record, "target type" }, { &fact_finding_record, NULL } } };

int query_print_findings(struct run *run, FILE *out, const struct fact_target *target,
	const char *keys, enum exit_code code, struct err *err)
{
	struct arena arena = { 0 };
	int status = 0;

	for (size_t i = 0; i < target->findings.n_items && status >= 0; i++) {
		struct value *row = value_map(&arena);

		value_set(&arena, row, "type", value_text(&arena, target->type));
		value_set(&arena, row, "target", value_text(&arena, target->target));
		add_keys(&arena, row,
			fact_write(&fact_finding_record, &arena, &target->findings.items[i],
				FACT_DOCUMENT, NULL),
			NULL);
		status = query_print(out, row, keys, run->settings->format, err);
	}
	run_report_failure(run, target, code);
	arena_free(&arena);
	return status < 0 ? -1 : 0;
}

int query_print_list(struct run *run, const struct fact_record *record, const void *list,
	const char *keys, struct err *err)
{
	const struct fact_statistic_list *rows = list; /* every list begins as this one does */
	struct result_file file;
	struct format_output output;
	int status = 0;

	if (run_open_output(run, run->settings->output_path, &file, &output, err))
		return -1;
	for (size_t i = 0; i < rows->n_items && status >= 0; i++)
		status = query_print(output.stream,
			fact_write(record, run->arena,
				(const char *)rows->items + i * record->n_bytes, FACT_DOCUMENT,
				NULL),
			keys, run->settings->format, err);
	status = status < 0 ? result_file_fail(&file, err) : result_file_commit(&file, err);
	result_file_close(&file);
	return status < 0 ? -1 : EXIT_DONE;
}
