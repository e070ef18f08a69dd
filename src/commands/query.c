// SPDX-License-Identifier: MIT
/* `--query`: keys of `array`, one line each. */
#include "commands/query.h"

#include "base/memory.h"
#include "base/text.h"
#include "commands/document_keys.h"
#include "formats/escape.h"
#include "formats/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The protocols that answer without -p, best first. */
static const char *const preferred[] = { "sycl", "cuda", "dlpack", "numpy", "buffer",
	"numpy-struct", "npy" };

enum { N_PREFERRED = sizeof(preferred) / sizeof(*preferred) };

static const struct value *find_array(const struct value *target, const char *protocol)
{
	const struct value *interfaces = value_get(target, "interfaces");

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];

		if (value_is_text(value_get(interface, "protocol"), protocol) &&
			!value_is_null(value_get(interface, "array")))
			return value_get(interface, "array");
	}
	return NULL;
}

static const struct value *choose_array(const struct value *target, const char *protocol)
{
	const struct value *array = NULL;

	if (protocol)
		return find_array(target, protocol);
	for (size_t i = 0; !array && i < N_PREFERRED; i++)
		array = find_array(target, preferred[i]);
	return array;
}

/* Text of one line; items and the values of maps are separated by spaces. */
static void add_value(struct text *line, const struct value *value)
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
			add_value(line, value->items[i]);
		break;
	default:
		escape_text(line, value->bytes, value->n_bytes, ESCAPE_TERMINAL);
	}
}

static int print_line(FILE *out, const struct value *value, struct err *err)
{
	struct text line = { 0 };
	int status = 0;

	if (!value_is_null(value))
		add_value(&line, value);
	if (fprintf(out, "%s\n", line.bytes ? line.bytes : "") < 0)
		status = err_set(err, EXIT_USAGE, "cannot write: %s", strerror(errno));
	text_free(&line);
	return status;
}

static int unknown_key(const char *key, struct err *err)
{
	struct text keys = { 0 };

	for (const struct document_key *row = array_keys; row->name; row++)
		text_printf(&keys, "%s%s%s%s", row == array_keys ? "" : ", ", row->name,
			row->inner ? "." : "", row->inner ? row->inner->name : "");
	err_set(err, EXIT_USAGE, "--query: '%s' is no key of an array; keys are such as %s", key,
		keys.bytes);
	text_free(&keys);
	return -1;
}

static int check_key(const char *key, struct err *err)
{
	const struct document_key *row = document_key_at(array_keys, key);

	if (!row)
		return unknown_key(key, err);
	if (row->inner)
		return err_set(err, EXIT_USAGE,
			"--query: '%s' is a group; name a key of it, such as %s.%s", key, key,
			row->inner->name);
	return 0;
}

int query_check(const char *keys, struct err *err)
{
	char *words = mem_copy_text(keys), *rest = words;
	int status = 0;

	while (rest && !status)
		status = check_key(strsep(&rest, ","), err);
	free(words);
	return status;
}

static int print_key(FILE *out, const struct value *array, const char *key, struct err *err)
{
	const struct value *value = value_at(array, key);

	if (print_line(out, value, err))
		return -1;
	return value_is_null(value) ? (int)EXIT_FINDINGS : 0;
}

int query_print(FILE *out, const struct value *document_target, const char *keys,
	const char *protocol, struct err *err)
{
	const struct value *array = choose_array(document_target, protocol);
	char *words = mem_copy_text(keys), *rest = words;
	int status = query_check(keys, err), key_status = status;

	while (rest && key_status >= 0) {
		const char *key = strsep(&rest, ",");

		key_status = print_key(out, array, key, err);
		if (key_status)
			status = key_status;
	}
	free(words);
	return status;
}
