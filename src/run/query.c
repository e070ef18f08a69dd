// SPDX-License-Identifier: MIT
/* `--query`: keys of a row, one line each. */
#include "run/query.h"

#include "base/memory.h"
#include "base/text.h"
#include "model/escape.h"
#include "model/number.h"
#include "protocols/protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The interface of the protocol or, without one (NULL), of the protocol of the lowest rank. */
static const struct value *choose_interface(const struct value *target, const char *name)
{
	const struct value *interfaces = value_get(target, "interfaces"), *chosen = NULL;
	int rank = INT_MAX;

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];
		const struct protocol *protocol = protocol_of_interface_value(interface);

		if (!protocol || value_is_null(value_get(interface, "array")) ||
			(name && strcmp(protocol->name, name) != 0) || protocol->rank >= rank)
			continue;
		chosen = interface;
		rank = protocol->rank;
	}
	return chosen;
}

/* Text of one line; items and the values of maps are separated by spaces. */
static void add_query_value(struct text *line, const struct value *value)
{
	char number[40];

	if (line->n_bytes && !value_is_sequence(value) && !value_is(value, VALUE_MAP))
		text_add(line, " ");
	switch (value->kind) {
	case VALUE_NULL:
		text_add(line, "null");
		break;
	case VALUE_BOOL:
		text_add(line, value->boolean ? "true" : "false");
		break;
	case VALUE_INT:
		text_printf(line, "%" PRId64, value->integer);
		break;
	case VALUE_REAL:
		text_add(line, number_text(value->real, number));
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_MAP:
		for (size_t i = 0; i < value->n_items; i++)
			add_query_value(line, value->items[i]);
		break;
	default:
		escape_text(line, value->bytes, value->n_bytes, ESCAPE_TERMINAL);
	}
}

static int print_query_line(FILE *out, const struct value *value, struct err *err)
{
	struct text line = { 0 };
	int status = 0;

	if (!value_is_null(value))
		add_query_value(&line, value);
	if (fprintf(out, "%s\n", line.bytes ? line.bytes : "") < 0)
		status = err_set(err, EXIT_USAGE, "cannot write: %s", strerror(errno));
	text_free(&line);
	return status;
}

static void list_keys(struct text *out, const struct document_key *keys)
{
	for (const struct document_key *row = keys; row && row->name; row++)
		if (!row->by_hand)
			text_printf(out, "%s%s%s%s", out->n_bytes ? ", " : "", row->name,
				row->inner ? "." : "", row->inner ? row->inner->name : "");
}

static int unknown_query_key(const struct query_table *table, const char *key, struct err *err)
{
	struct text keys = { 0 };

	list_keys(&keys, table->keys);
	list_keys(&keys, table->more_keys);
	err_set(err, EXIT_USAGE, "--query: unknown key '%s' for %s; keys are such as %s", key,
		table->subject, keys.bytes);
	text_free(&keys);
	return -1;
}

static int check_key(const struct query_table *table, const char *key, struct err *err)
{
	const struct document_key *row = document_key_at(table->keys, key);

	if (!row && table->more_keys)
		row = document_key_at(table->more_keys, key);
	if (!row || row->by_hand)
		return unknown_query_key(table, key, err);
	if (row->inner)
		return err_set(err, EXIT_USAGE,
			"--query: '%s' is a group; name a key of it, such as %s.%s", key, key,
			row->inner->name);
	return 0;
}

int query_check(const struct query_table *table, const char *keys, struct err *err)
{
	char *words = mem_copy_text(keys), *rest = words;
	int status = 0;

	while (rest && !status)
		status = check_key(table, strsep(&rest, ","), err);
	free(words);
	return status;
}

int query_print(FILE *out, const struct value *row, const char *keys, struct err *err)
{
	char *words = mem_copy_text(keys), *rest = words;
	int status = 0;

	while (rest && status >= 0) {
		const struct value *value = value_at(row, strsep(&rest, ","));

		if (print_query_line(out, value, err))
			status = -1;
		else if (value_is_null(value))
			status = EXIT_FINDINGS;
	}
	free(words);
	return status;
}

static const struct document_key about_keys[] = {
	{ "target", .kinds = KEY_TEXT },
	{ "type", .kinds = KEY_TEXT },
	{ "status", .kinds = KEY_TEXT },
	{ "protocol", .kinds = KEY_TEXT },
	{ "version", .kinds = KEY_TEXT | KEY_INT },
	{ "copy", .kinds = KEY_MAP, .inner = copy_keys },
	{ 0 },
};

const struct query_table query_arrays = { "an array", array_keys, about_keys };

static void set_from(
	struct arena *arena, struct value *row, const struct value *map, const char *key)
{
	const struct value *value = value_get(map, key);

	if (value)
		value_set(arena, row, key, (struct value *)value);
}

struct value *query_array_row(struct arena *arena, const struct value *target, const char *protocol)
{
	const struct value *interface = choose_interface(target, protocol);
	const struct value *array = value_get(interface, "array");
	struct value *row = value_map(arena);

	set_from(arena, row, target, "target");
	set_from(arena, row, target, "type");
	set_from(arena, row, target, "status");
	set_from(arena, row, target, "copy");
	set_from(arena, row, interface, "protocol");
	set_from(arena, row, interface, "version");
	for (size_t i = 0; value_is(array, VALUE_MAP) && i < array->n_items; i++)
		value_set(arena, row, array->keys[i], array->items[i]);
	return row;
}

int query_print_target(struct run *run, FILE *out, const struct value *document,
	const struct query_choice *choice, enum exit_code *code, struct err *err)
{
	struct arena arena = { 0 };
	struct value *row = query_array_row(&arena, document, choice->protocol);
	int status = query_print(out, row, choice->keys, err);

	if (status == (int)EXIT_FINDINGS)
		*code = exit_code_worse(*code, EXIT_FINDINGS);
	run_tell_failure(run, document, *code);
	arena_free(&arena);
	return status < 0 ? -1 : 0;
}

static const struct document_key finding_keys[] = {
	{ "target", .kinds = KEY_TEXT },
	{ "type", .kinds = KEY_TEXT },
	{ "rule", .kinds = KEY_TEXT },
	{ "name", .kinds = KEY_TEXT },
	{ "severity", .kinds = KEY_TEXT },
	{ "protocol", .kinds = KEY_TEXT },
	{ "field", .kinds = KEY_TEXT },
	{ "message", .kinds = KEY_TEXT },
	{ "why", .kinds = KEY_TEXT },
	{ "hint", .kinds = KEY_TEXT },
	{ "clause", .kinds = KEY_TEXT },
	{ 0 },
};

const struct query_table query_findings = { "a finding", finding_keys, NULL };

int query_print_findings(struct run *run, FILE *out, const struct value *document, const char *keys,
	enum exit_code code, struct err *err)
{
	const struct value *findings = value_get(document, "findings");
	struct arena arena = { 0 };
	int status = 0;

	for (size_t i = 0; i < findings->n_items && status >= 0; i++) {
		struct value *row = value_copy(&arena, findings->items[i]);

		value_set(&arena, row, "target", value_copy(&arena, value_get(document, "target")));
		value_set(&arena, row, "type", value_copy(&arena, value_get(document, "type")));
		status = query_print(out, row, keys, err);
	}
	run_tell_failure(run, document, code);
	arena_free(&arena);
	return status < 0 ? -1 : 0;
}

int query_print_list(struct run *run, const struct value *list, const char *keys, struct err *err)
{
	struct output_file file;
	struct output output;
	int status = 0;

	if (run_open_output(run, run->settings->output_path, &file, &output, err))
		return -1;
	for (size_t i = 0; i < list->n_items && status >= 0; i++)
		status = query_print(output.stream, list->items[i], keys, err);
	if (status >= 0)
		status = output_commit(&file, err);
	output_close(&file);
	return status < 0 ? -1 : EXIT_DONE;
}
