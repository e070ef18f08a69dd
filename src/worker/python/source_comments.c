// SPDX-License-Identifier: MIT
#include "worker/python/source_comments.h"

#include "base/array_size.h"
#include "facts/ignore_comment.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <string.h>

/* The number at [0] of the token's start or end; -1: it is no token. */
static long token_line(PyObject *token, Py_ssize_t item)
{
	PyObject *position = PyTuple_GetItem(token, item);

	return position && PyTuple_Check(position) ? PyLong_AsLong(PyTuple_GetItem(position, 0))
						   : -1;
}

struct token_kinds {
	long comment, newline, nl, indent, dedent;
};

static long token_kind(PyObject *module, const char *name)
{
	PyObject *kind = PyObject_GetAttrString(module, name);
	long number = kind ? PyLong_AsLong(kind) : -1;

	Py_DecRef(kind);
	PyErr_Clear();
	return number;
}

/* The state between two tokens of a unit. */
struct token_scan {
	struct arena *arena;
	struct source_comment_list *list;
	size_t unit;
	size_t first_comment; /* of the list that no statement has yet */
	long first_line;      /* of the statement; 0: between statements */
	long code_line;       /* the last one with code */
	bool begins_line, is_decorator;
};

static void take_comment(struct token_scan *scan, PyObject *text, long line)
{
	struct source_comment_list *list = scan->list;
	struct arena arena = { 0 };
	const char *comment = value_text_or(object_to_value(&arena, text), "");

	if (ignore_comment_is(comment)) {
		list->items =
			arena_grow(scan->arena, list->items, list->n_items, sizeof(*list->items));
		list->items[list->n_items++] = (struct source_comment){ .unit = scan->unit,
			.first = line,
			.last = line,
			.line = line,
			.is_alone = scan->code_line != line,
			.text = arena_copy(scan->arena, comment, strlen(comment)) };
	}
	arena_free(&arena);
}

/* Comments after a statement's last token are on its lines, too; those of decorators are on the
 * lines of what they decorate. */
static void end_token_line(struct token_scan *scan, long line)
{
	struct source_comment_list *list = scan->list;

	scan->begins_line = true;
	if (scan->is_decorator)
		return;
	for (size_t i = scan->first_comment; i < list->n_items; i++)
		if (list->items[i].line >= scan->first_line && scan->first_line) {
			list->items[i].first = scan->first_line;
			list->items[i].last = line;
		}
	scan->first_comment = list->n_items;
	scan->first_line = 0;
}

static void take_code(struct token_scan *scan, PyObject *token, long line)
{
	if (scan->begins_line)
		scan->is_decorator =
			PyUnicode_CompareWithASCIIString(PyTuple_GetItem(token, 1), "@") == 0;
	scan->begins_line = false;
	scan->first_line = scan->first_line ? scan->first_line : line;
	scan->code_line = token_line(token, 3);
}

static void scan_tokens(struct token_scan *scan, const struct token_kinds *kinds, PyObject *tokens)
{
	PyObject *token;

	while ((token = PyIter_Next(tokens))) {
		long kind = PyTuple_Check(token) ? PyLong_AsLong(PyTuple_GetItem(token, 0)) : -1;
		long line = kind >= 0 ? token_line(token, 2) : -1;

		if (kind == kinds->comment)
			take_comment(scan, PyTuple_GetItem(token, 1), line);
		else if (kind == kinds->newline)
			end_token_line(scan, line);
		else if (kind != kinds->nl && kind != kinds->indent && kind != kinds->dedent)
			take_code(scan, token, line);
		Py_DecRef(token);
	}
	PyErr_Clear();
}

/* The text with "\n" for each line end of Python's parser, including a single "\r". A new
 * reference. */
static PyObject *normalise_line_ends(PyObject *text)
{
	static const char *const ends[] = { "\r\n", "\r" };
	const char *format = PyBytes_Check(text) ? "yy" : "ss";

	Py_IncRef(text);
	for (size_t i = 0; text && i < ARRAY_SIZE(ends); i++) {
		PyObject *replaced = PyObject_CallMethod(text, "replace", format, ends[i], "\n");

		Py_DecRef(text);
		text = replaced;
	}
	return text;
}

static PyObject *make_tokens(PyObject *tokenize, PyObject *text)
{
	PyObject *io = import_for_suai("io");
	bool is_bytes = PyBytes_Check(text);
	PyObject *stream =
		io ? PyObject_CallMethod(io, is_bytes ? "BytesIO" : "StringIO", "O", text) : NULL;
	PyObject *readline = stream ? PyObject_GetAttrString(stream, "readline") : NULL;
	PyObject *tokens = NULL;

	if (readline)
		tokens = PyObject_CallMethod(
			tokenize, is_bytes ? "tokenize" : "generate_tokens", "O", readline);
	Py_DecRef(readline);
	Py_DecRef(stream);
	Py_DecRef(io);
	return tokens;
}

static bool mentions_ignore(PyObject *text)
{
	PyObject *bytes = PyUnicode_Check(text) ? PyUnicode_AsUTF8String(text) : text;
	bool mentions = false;
	Py_ssize_t n_bytes;
	char *start;

	if (bytes && !PyBytes_AsStringAndSize(bytes, &start, &n_bytes))
		mentions = strcasestr(start, "suai") && strcasestr(start, "ignore");
	if (bytes != text)
		Py_DecRef(bytes);
	PyErr_Clear();
	return mentions;
}

void source_comments_scan(
	struct arena *arena, PyObject *text, size_t unit, struct source_comment_list *list)
{
	PyObject *tokenize, *tokens;
	struct token_scan scan = { .arena = arena,
		.list = list,
		.unit = unit,
		.first_comment = list->n_items,
		.begins_line = true };
	struct token_kinds kinds;

	if (!text || !mentions_ignore(text))
		return;
	tokenize = import_for_suai("tokenize");
	if (tokenize) {
		kinds = (struct token_kinds){ token_kind(tokenize, "COMMENT"),
			token_kind(tokenize, "NEWLINE"), token_kind(tokenize, "NL"),
			token_kind(tokenize, "INDENT"), token_kind(tokenize, "DEDENT") };
		text = normalise_line_ends(text);
		tokens = text ? make_tokens(tokenize, text) : NULL;
		if (tokens)
			scan_tokens(&scan, &kinds, tokens);
		Py_DecRef(tokens);
		Py_DecRef(text);
	}
	Py_DecRef(tokenize);
	PyErr_Clear();
}
