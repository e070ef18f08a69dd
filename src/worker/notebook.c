// SPDX-License-Identifier: MIT
#include "worker/notebook.h"

#include "base/array_size.h"
#include "base/identifier.h"
#include "base/text.h"
#include "base/utf8.h"
#include "worker/process/step.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <ctype.h>
#include <string.h>

enum {
	MAX_BYTES = 256 << 20,
	MAX_SHOWN_BYTES = 100,    /* of a line in a notice */
	ALLOW_AWAIT = 0x2000,     /* ast.PyCF_ALLOW_TOP_LEVEL_AWAIT */
	FUTURE_FLAGS = 0x1fe0000, /* of `from __future__ import`, in co_flags and for compile() */
};

/* --- the file --- */

/* Replaces the pending exception by a ValueError that the text begins; memory errors stay. */
static void set_invalid(const char *text)
{
	PyObject *type, *exception, *traceback;

	if (PyErr_ExceptionMatches(PyExc_MemoryError))
		return;
	if (PyErr_ExceptionMatches(PyExc_RecursionError)) {
		PyErr_Format(PyExc_ValueError, "%s: nested too deeply", text);
		return;
	}
	PyErr_Fetch(&type, &exception, &traceback);
	PyErr_NormalizeException(&type, &exception, &traceback);
	PyErr_Format(PyExc_ValueError, "%s: %S", text, exception);
	Py_DecRef(type);
	Py_DecRef(exception);
	Py_DecRef(traceback);
}

static PyObject *parse_json(PyObject *contents)
{
	PyObject *json = NULL, *text, *document = NULL;
	const char *bytes = PyBytes_AsString(contents);
	Py_ssize_t n_bytes = PyBytes_Size(contents), mark = 0;

	if (n_bytes > MAX_BYTES) {
		PyErr_Format(
			PyExc_ValueError, "the notebook is larger than %d MiB", MAX_BYTES >> 20);
		return NULL;
	}
	if (n_bytes >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		mark = 3;
	text = PyUnicode_DecodeUTF8(bytes + mark, n_bytes - mark, "strict");
	if (!text) {
		set_invalid("not a notebook: not UTF-8");
		return NULL;
	}
	json = import_for_suai("json");
	if (json)
		document = PyObject_CallMethod(json, "loads", "O", text);
	if (json && !document)
		set_invalid("not a notebook: invalid JSON");
	Py_DecRef(json);
	Py_DecRef(text);
	return document;
}

/* The item of a dictionary, borrowed; NULL if value is none or has none. */
static PyObject *item_of(PyObject *value, const char *key)
{
	return value && PyDict_CheckExact(value) ? PyDict_GetItemString(value, key) : NULL;
}

/* Whether the metadata names no language, or Python: "python", "ipython3". */
static bool is_in_python(struct arena *arena, PyObject *document, const char **language)
{
	PyObject *metadata = item_of(document, "metadata");
	PyObject *name = item_of(item_of(metadata, "language_info"), "name");

	if (!name)
		name = item_of(item_of(metadata, "kernelspec"), "language");
	*language = name ? fact_text(arena, object_to_value(arena, name)) : NULL;
	return !*language || strcasestr(*language, "python");
}

/* The list of cells, borrowed; NULL with the exception pending. */
static PyObject *find_cells(struct arena *arena, PyObject *document)
{
	PyObject *format = item_of(document, "nbformat"), *cells = item_of(document, "cells");
	long version = format && PyLong_CheckExact(format) ? PyLong_AsLong(format) : -1;
	const char *language;

	PyErr_Clear();
	if (version < 0)
		PyErr_SetString(PyExc_ValueError, "not a notebook: it has no valid nbformat");
	else if (version < 4)
		PyErr_Format(PyExc_ValueError,
			"notebook format %ld is not supported; convert it with 'jupyter nbconvert --to "
			"notebook --nbformat 4'",
			version);
	else if (version > 4)
		PyErr_Format(PyExc_ValueError,
			"notebook format %ld is not supported; the newest supported is 4", version);
	else if (!is_in_python(arena, document, &language))
		PyErr_Format(
			PyExc_ValueError, "the notebook's language is %s, not Python", language);
	else if (!cells || !PyList_CheckExact(cells))
		PyErr_SetString(PyExc_ValueError, "not a notebook: it has no list of cells");
	else
		return cells;
	return NULL;
}

static bool is_code_cell(PyObject *cell)
{
	PyObject *type = item_of(cell, "cell_type");

	return type && PyUnicode_CheckExact(type) &&
	       PyUnicode_CompareWithASCIIString(type, "code") == 0;
}

/* The source of a cell, one text or a list of lines, with \n as line ends. */
static PyObject *read_source(PyObject *cell)
{
	PyObject *source = item_of(cell, "source"), *joined = NULL, *lines, *empty;

	if (source && PyList_CheckExact(source)) {
		empty = PyUnicode_FromString("");
		joined = empty ? PyUnicode_Join(empty, source) : NULL;
		Py_DecRef(empty);
	} else if (source && PyUnicode_CheckExact(source)) {
		joined = Py_NewRef(source);
	}
	if (!joined) {
		PyErr_SetString(
			PyExc_ValueError, "the cell's source is not a string or a list of strings");
		return NULL;
	}
	lines = PyObject_CallMethod(joined, "replace", "ss", "\r\n", "\n");
	Py_DecRef(joined);
	joined = lines ? PyObject_CallMethod(lines, "replace", "ss", "\r", "\n") : NULL;
	Py_DecRef(lines);
	return joined;
}

/* --- what only IPython runs --- */

static void add_skip_notice(struct notebook *notebook, const char *text)
{
	notebook->notices.known = true;
	if (notebook->n_skipped++ < NOTEBOOK_MAX_NOTICES)
		fact_texts_add(notebook->arena, &notebook->notices, text);
}

struct line {
	const char *bytes;
	size_t n_bytes, n_indent;
};

/* The line with that number, from 1. False: there is none. */
static bool find_line(const struct text *source, long number, struct line *out)
{
	const char *at = source->bytes, *end = source->bytes + source->n_bytes;

	for (; at && number > 1; number--) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	if (!at || number < 1)
		return false;
	out->bytes = at;
	at = memchr(at, '\n', (size_t)(end - at));
	out->n_bytes = (size_t)((at ? at : end) - out->bytes);
	out->n_indent = 0;
	while (out->n_indent < out->n_bytes && strchr(" \t", out->bytes[out->n_indent]))
		out->n_indent++;
	return true;
}

/* The line, or the one that it continues after backslashes; *number becomes that one's. */
static bool find_first_line(const struct text *source, long *number, struct line *out)
{
	struct line before;

	while (find_line(source, *number - 1, &before) && before.n_bytes &&
		before.bytes[before.n_bytes - 1] == '\\')
		--*number;
	return find_line(source, *number, out);
}

/* Whether text before end is a name and one or two "?" as the end of a line without a comment or an
 * open string. */
static bool asks_for_help(const char *start, const char *end)
{
	const char *name = end;
	int n_quotes[2] = { 0 };

	for (const char *at = start; at < end; at++) {
		if (*at == '#')
			return false;
		n_quotes[0] += *at == '\'';
		n_quotes[1] += *at == '"';
	}
	while (name > start && end - name < 2 && name[-1] == '?')
		name--;
	if (name == end || n_quotes[0] % 2 || n_quotes[1] % 2)
		return false;
	for (end = name; name > start; name--)
		if (!is_identifier_byte(name[-1]) && !strchr(".*%[]'\"", name[-1]))
			break;
	return name < end && !isdigit((unsigned char)*name) && !strchr(".[]'\"", *name);
}

/* %magic, !command, ?help, help?, and x = %magic. */
static bool is_magic(const struct line *line)
{
	const char *start = line->bytes + line->n_indent, *end = line->bytes + line->n_bytes;
	const char *value = memchr(start, '=', (size_t)(end - start));

	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (end == start)
		return false;
	for (value = value ? value + 1 : end; value < end && *value == ' ';)
		value++;
	return strchr("%!?", *start) || asks_for_help(start, end) ||
	       (value < end && strchr("%!", *value) &&
		       !memchr(start, '#', (size_t)(value - start)));
}

/* Replaces the line, and those that it continues on, by pass, without changing the numbers of
 * others. Returns how many they are. */
static int skip_line(struct text *source, const struct line *line)
{
	struct text replaced = { 0 };
	int n_lines = 1;
	const char *end = source->bytes + source->n_bytes, *rest = line->bytes + line->n_bytes;

	text_add_bytes(&replaced, source->bytes, (size_t)(line->bytes - source->bytes));
	text_add_bytes(&replaced, line->bytes, line->n_indent);
	text_add(&replaced, "pass");
	while (rest < end && rest > line->bytes && rest[-1] == '\\') {
		text_add(&replaced, "\n");
		n_lines++;
		rest = memchr(rest + 1, '\n', (size_t)(end - rest - 1));
		rest = rest ? rest : end;
	}
	text_add_bytes(&replaced, rest, (size_t)(end - rest));
	text_free(source);
	*source = replaced;
	return n_lines;
}

/* "%%bash" of a cell magic, whose whole cell IPython passes on; NULL: the cell is none. *is_python:
 * its other lines are Python. */
static const char *find_cell_magic(
	struct arena *arena, const struct text *source, bool *is_python, long *number)
{
	static const char *const of_python[] = { "%%time", "%%capture", "%%prun" };
	struct line line = { 0 };
	const char *word = NULL;

	for (*number = 1; find_line(source, *number, &line) && line.n_indent == line.n_bytes;)
		++*number;
	if (line.n_bytes < 2 || strncmp(line.bytes, "%%", 2) != 0)
		return NULL;
	word = arena_copy(arena, line.bytes, line.n_bytes);
	word = arena_copy(arena, word, strcspn(word, " \t"));
	*is_python = false;
	for (size_t i = 0; i < ARRAY_SIZE(of_python); i++)
		*is_python |= !strcmp(word, of_python[i]);
	return word;
}

/* --- compiling --- */

static PyObject *compile_text(
	const struct notebook *notebook, const struct text *source, int cell, int flags)
{
	PyObject *file_name = PyUnicode_DecodeFSDefault(
		arena_printf(notebook->arena, "%s#cell%d", notebook->file_name, cell));
	PyObject *text = PyUnicode_FromStringAndSize(
		source->n_bytes ? source->bytes : "", (Py_ssize_t)source->n_bytes);
	PyObject *code = NULL;

	if (file_name && text)
		code = PyObject_CallFunction(notebook->compile, "OOsiO", text, file_name, "exec",
			notebook->flags | flags, Py_True);
	Py_DecRef(file_name);
	Py_DecRef(text);
	return code;
}

/* The line of the pending exception, if it is a SyntaxError; otherwise 0. It stays. */
static long syntax_error_line(void)
{
	PyObject *type, *exception, *traceback, *line;
	long number = 0;

	if (!PyErr_ExceptionMatches(PyExc_SyntaxError))
		return 0;
	PyErr_Fetch(&type, &exception, &traceback);
	PyErr_NormalizeException(&type, &exception, &traceback);
	line = PyObject_GetAttrString(exception, "lineno");
	if (line && PyLong_CheckExact(line))
		number = PyLong_AsLong(line);
	Py_DecRef(line);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
	return number > 0 ? number : 0;
}

/* If the cell is valid with top-level await, states that; the exception stays otherwise. */
static void explain_await(const struct notebook *notebook, const struct text *source, int cell)
{
	PyObject *type, *exception, *traceback, *code;

	PyErr_Fetch(&type, &exception, &traceback);
	code = compile_text(notebook, source, cell, ALLOW_AWAIT);
	PyErr_Clear();
	if (!code) {
		PyErr_Restore(type, exception, traceback);
		return;
	}
	PyErr_SetString(PyExc_SyntaxError,
		"top-level await requires IPython's event loop; call asyncio.run() instead");
	Py_DecRef(code);
	Py_DecRef(type);
	Py_DecRef(exception);
	Py_DecRef(traceback);
}

static int skip_magic(struct notebook *notebook, struct text *source, int cell, long number,
	const struct line *line)
{
	const char *start = line->bytes + line->n_indent;
	size_t n_bytes = utf8_truncated(start, line->n_bytes - line->n_indent, MAX_SHOWN_BYTES);

	add_skip_notice(notebook, arena_printf(notebook->arena, "cell %d, line %ld: skipped %.*s",
					  cell, number, (int)n_bytes, start));
	return skip_line(source, line);
}

/* The code; lines that are no Python, and that IPython knows, are replaced. NULL with the exception
 * pending. */
static PyObject *compile_skipping(struct notebook *notebook, struct text *source, int cell)
{
	for (;;) {
		PyObject *code = compile_text(notebook, source, cell, 0);
		long number = code ? 0 : syntax_error_line(), first = number;
		struct line line;

		if (code)
			return code;
		if (!number || !find_first_line(source, &first, &line) || !is_magic(&line)) {
			explain_await(notebook, source, cell);
			notebook->failed_step =
				number ? arena_printf(
						 notebook->arena, "cell %d, line %ld", cell, number)
				       : arena_printf(notebook->arena, "cell %d", cell);
			return NULL;
		}
		PyErr_Clear();
		/* What follows a skipped line begins a statement. */
		do {
			first += skip_magic(notebook, source, cell, first, &line);
		} while (find_line(source, first, &line) && line.n_bytes &&
			 strchr("%!", *line.bytes));
	}
}

/* What later cells inherit. */
static void inherit_flags(struct notebook *notebook, PyObject *code)
{
	PyObject *flags = PyObject_GetAttrString(code, "co_flags");

	if (flags)
		notebook->flags |= (int)(PyLong_AsLong(flags) & FUTURE_FLAGS);
	Py_DecRef(flags);
	PyErr_Clear();
}

/* Tracebacks show lines of files in this cache, which need not exist. */
static void cache_lines(const struct notebook *notebook, const struct text *source, int cell)
{
	PyObject *linecache = import_for_suai("linecache");
	PyObject *cache = linecache ? PyObject_GetAttrString(linecache, "cache") : NULL;
	PyObject *text = PyUnicode_FromStringAndSize(
		source->n_bytes ? source->bytes : "", (Py_ssize_t)source->n_bytes);
	PyObject *lines = text ? PyObject_CallMethod(text, "splitlines", "O", Py_True) : NULL;
	PyObject *name = PyUnicode_DecodeFSDefault(
		arena_printf(notebook->arena, "%s#cell%d", notebook->file_name, cell));
	PyObject *entry = lines && name ? Py_BuildValue("(nOOO)", (Py_ssize_t)source->n_bytes,
						  Py_None, lines, name)
					: NULL;

	if (cache && entry)
		PyObject_SetItem(cache, name, entry);
	Py_DecRef(entry);
	Py_DecRef(name);
	Py_DecRef(lines);
	Py_DecRef(text);
	Py_DecRef(cache);
	Py_DecRef(linecache);
	PyErr_Clear();
}

int notebook_compile_cell(struct notebook *notebook, size_t i, struct notebook_cell *out)
{
	int cell = (int)i + 1, status = -1;
	PyObject *source = read_source(PyList_GetItem(notebook->sources, (Py_ssize_t)i));
	PyObject *bytes = source ? PyUnicode_AsUTF8String(source) : NULL;
	struct text text = { 0 };
	const char *magic;
	bool is_python;
	struct line line;
	long number;

	*out = (struct notebook_cell){ 0 };
	if (!bytes) {
		notebook->failed_step = arena_printf(notebook->arena, "cell %d", cell);
		goto out;
	}
	text_add(&text, "");
	text_add_bytes(&text, PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes));
	magic = find_cell_magic(notebook->arena, &text, &is_python, &number);
	status = 0;
	if (magic)
		add_skip_notice(notebook,
			arena_printf(notebook->arena, "cell %d, line %ld: skipped %s%s", cell,
				number, magic, is_python ? "" : " and the rest of the cell"));
	if (magic && !is_python)
		goto out;
	if (magic && find_line(&text, number, &line))
		skip_line(&text, &line);
	out->code = compile_skipping(notebook, &text, cell);
	if (!out->code) {
		status = -1;
		goto out;
	}
	out->text = PyUnicode_FromStringAndSize(text.bytes, (Py_ssize_t)text.n_bytes);
	inherit_flags(notebook, out->code);
	cache_lines(notebook, &text, cell);
out:
	text_free(&text);
	Py_DecRef(bytes);
	Py_DecRef(source);
	return status;
}

int notebook_open(
	struct arena *arena, PyObject *contents, const char *file_name, struct notebook *notebook)
{
	PyObject *document = parse_json(contents);
	PyObject *cells = document ? find_cells(arena, document) : NULL;
	PyObject *builtins = cells ? import_for_suai("builtins") : NULL;

	*notebook = (struct notebook){ .arena = arena, .file_name = file_name };
	if (builtins)
		notebook->compile = PyObject_GetAttrString(builtins, "compile");
	if (notebook->compile)
		notebook->sources = PyList_New(0);
	for (Py_ssize_t i = 0; notebook->sources && i < PyList_Size(cells); i++)
		if (is_code_cell(PyList_GetItem(cells, i)))
			PyList_Append(notebook->sources, PyList_GetItem(cells, i));
	if (notebook->sources)
		notebook->n_cells = (size_t)PyList_Size(notebook->sources);
	Py_DecRef(builtins);
	Py_DecRef(document);
	return notebook->sources ? 0 : -1;
}

/* --- running --- */

/* The line in the cell, that of the traceback's first entry, stays in the step. */
static const char *step_of_exception(struct arena *arena, const char *step)
{
	PyObject *type, *exception, *traceback, *line = NULL;

	PyErr_Fetch(&type, &exception, &traceback);
	if (traceback)
		line = PyObject_GetAttrString(traceback, "tb_lineno");
	if (line && PyLong_CheckExact(line))
		step = arena_printf(arena, "%s, line %ld", step, PyLong_AsLong(line));
	Py_DecRef(line);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
	return step;
}

int notebook_run_cell(struct notebook *notebook, size_t i, PyObject *code, PyObject *names)
{
	const char *step = arena_printf(notebook->arena, "cell %zu", i + 1);
	PyObject *result;

	worker_step(step);
	result = PyEval_EvalCode(code, names, names);
	if (!result)
		notebook->failed_step = step_of_exception(notebook->arena, step);
	Py_DecRef(result);
	return result ? 0 : -1;
}

void notebook_free(struct notebook *notebook)
{
	Py_DecRef(notebook->sources);
	Py_DecRef(notebook->compile);
}
