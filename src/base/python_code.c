// SPDX-License-Identifier: MIT
#include "base/python_code.h"

#include "base/identifier.h"
#include "base/text.h"

#include <string.h>

const char *python_string_end(const char *at, const char *end)
{
	const char quote = *at;
	bool is_triple = end - at >= 3 && at[1] == quote && at[2] == quote;

	at += is_triple ? 3 : 1;
	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		else if (*at == '\n' && !is_triple)
			return at;
		else if (*at == quote && !is_triple)
			break;
		else if (*at == quote && end - at >= 3 && at[1] == quote && at[2] == quote)
			break;
	}
	at += is_triple ? 3 : 1;
	return at < end ? at : end;
}

const char *python_argument_end(const char *at)
{
	const char *end = at + strlen(at);
	int depth = 0;

	for (; *at; at++) {
		if (strchr("([{", *at))
			depth++;
		else if (depth ? strchr(")]}", *at) != NULL : strchr(",)]}", *at) != NULL) {
			if (!depth--)
				break;
		} else if (*at == '\'' || *at == '"')
			at = python_string_end(at, end) - 1;
	}
	return at;
}

static bool is_quote(char byte)
{
	return byte == '"' || byte == '\'';
}

/* Passes a string, or enters an f-string, or a template, of that prefix. */
static void scan_string(struct name_scan *scan, const char *prefix, size_t n_bytes)
{
	const char *end = python_string_end(scan->at, scan->at + strlen(scan->at));
	bool has_braces = false;

	for (size_t i = 0; i < n_bytes; i++)
		has_braces |= strchr("fFtT", prefix[i]) != NULL;
	if (has_braces && !scan->f_string) {
		scan->f_string = end;
		scan->n_braces = 0;
		scan->at++;
	} else {
		scan->at = end;
	}
}

/* Passes the text of an f-string, up to a brace that opens a field of it, or its end. */
static void scan_f_string_text(struct name_scan *scan)
{
	for (; scan->at < scan->f_string; scan->at++) {
		if (*scan->at != '{')
			continue;
		if (scan->at[1] != '{') {
			scan->n_braces = 1;
			scan->at++;
			return;
		}
		scan->at++;
	}
	scan->f_string = NULL;
}

/* Whether "name=" is a keyword argument or the default of a parameter, and not a comparison. */
static bool is_keyword(const char *after_name)
{
	after_name += strspn(after_name, " \t");
	return *after_name == '=' && after_name[1] != '=';
}

bool name_scan_next(struct name_scan *scan)
{
	char previous = '\0'; /* that is not a blank */

	while (*scan->at) {
		const char *start = scan->at;

		if (scan->f_string && scan->at >= scan->f_string)
			scan->f_string = NULL;
		if (scan->f_string && !scan->n_braces) {
			scan_f_string_text(scan);
			previous = '\0';
			continue;
		}
		while (is_identifier_byte(*scan->at))
			scan->at++;
		scan->n_bytes = (size_t)(scan->at - start);
		if (is_quote(*scan->at) && scan->n_bytes <= 2) {
			scan_string(scan, start, scan->n_bytes);
		} else if (!scan->n_bytes) {
			scan->n_braces += scan->f_string && *start == '{';
			scan->n_braces -= scan->f_string && *start == '}';
			scan->at++;
		} else if (identifier_length(start) && previous != '.' && !is_keyword(scan->at)) {
			scan->name = start;
			return true;
		}
		previous = strchr(" \t\n", *start) ? previous : *start;
	}
	return false;
}

static bool is_scanned_name(const struct name_scan *scan, const char *name)
{
	return scan->n_bytes == strlen(name) && !memcmp(scan->name, name, scan->n_bytes);
}

size_t expression_count_name(const char *expression, const char *name)
{
	struct name_scan scan = { .at = expression };
	size_t count = 0;

	while (name_scan_next(&scan))
		count += is_scanned_name(&scan, name);
	return count;
}

const char *expression_replace_name(
	struct arena *arena, const char *expression, const char *name, const char *instead)
{
	struct name_scan scan = { .at = expression };
	struct text text = { 0 };
	const char *copy;

	while (name_scan_next(&scan)) {
		if (!is_scanned_name(&scan, name))
			continue;
		text_add_bytes(&text, expression, (size_t)(scan.name - expression));
		text_add(&text, instead);
		expression = scan.at;
	}
	text_add(&text, expression);
	copy = arena_copy(arena, text.bytes, text.n_bytes);
	text_free(&text);
	return copy;
}

/* Whether it is a name, a call, a subscript, or in brackets of any kind. */
static bool is_primary(const char *expression)
{
	const char *end = expression + strlen(expression);
	int depth = 0;

	if (!identifier_length(expression) && !(*expression && strchr("([{", *expression)))
		return false;
	for (const char *at = expression; at < end;) {
		if (is_quote(*at)) {
			if (!depth)
				return false;
			at = python_string_end(at, end);
			continue;
		}
		if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at))
			depth--;
		else if (!depth && !is_identifier_byte(*at) && *at != '.')
			return false;
		at++;
	}
	return depth == 0;
}

const char *expression_as_primary(struct arena *arena, const char *expression)
{
	return is_primary(expression) ? expression : arena_printf(arena, "(%s)", expression);
}
