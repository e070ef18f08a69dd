// SPDX-License-Identifier: MIT
#include "worker/python/definitions.h"

#include "base/read_file.h"
#include "facts/ignore_comment.h"
#include "worker/python/bindings.h"
#include "worker/python/definition_items.h"
#include "worker/python/expression.h"
#include "worker/python/object.h"
#include "worker/python/source_comments.h"

#include <string.h>
#include <unistd.h>

enum {
	MAX_UNITS = 10000, /* cells */
	MAX_SOURCE_BYTES = 32 << 20,
};

/* One module or cell. */
struct unit {
	PyObject *code, *text;
	PyObject *tree; /* NULL: not parsed yet */
	const char *file;
	int cell;
	bool is_scanned;
};

static struct {
	struct arena arena;
	struct unit *units;
	size_t n_units;
	struct source_comment_list comments;
} definitions;

void definitions_add(PyObject *code, PyObject *text, const char *file, int cell)
{
	if (definitions.n_units == MAX_UNITS)
		return;
	Py_IncRef(code);
	Py_IncRef(text);
	definitions.units = arena_grow(&definitions.arena, definitions.units, definitions.n_units,
		sizeof(*definitions.units));
	definitions.units[definitions.n_units++] =
		(struct unit){ .code = code, .text = text, .file = file, .cell = cell };
}

/* Scans what was added since the last call. */
static void scan(void)
{
	for (size_t i = 0; i < definitions.n_units; i++) {
		struct unit *unit = &definitions.units[i];

		if (unit->is_scanned)
			continue;
		unit->is_scanned = true;
		bindings_scan(unit->code, i);
		source_comments_scan(&definitions.arena, unit->text, i, &definitions.comments);
		Py_DecRef(unit->code);
		unit->code = NULL;
	}
	PyErr_Clear();
}

/* --- imported modules --- */

/* The loader's type is known, so that no code of the user's own importer runs. */
static bool is_source_loader(PyObject *loader)
{
	struct arena arena = { 0 };
	bool is_it = !strcmp(
		object_type_name(&arena, loader), "_frozen_importlib_external.SourceFileLoader");

	arena_free(&arena);
	return is_it;
}

static PyObject *read_regular_file(const char *path)
{
	struct text text = { 0 };
	PyObject *bytes = NULL;
	struct stat info;
	struct err ignored;
	int fd = open_regular_file(path, &info, &ignored);

	if (fd >= 0 && info.st_size > MAX_SOURCE_BYTES)
		close(fd);
	else if (fd >= 0 && !read_descriptor(fd, path, &text, &ignored))
		bytes = PyBytes_FromStringAndSize(text.bytes, (Py_ssize_t)text.n_bytes);
	text_free(&text);
	return bytes;
}

void definitions_add_module(PyObject *names)
{
	PyObject *spec = PyDict_GetItemString(names, "__spec__");
	PyObject *loader = spec ? PyObject_GetAttrString(spec, "loader") : NULL;
	PyObject *name = spec ? PyObject_GetAttrString(spec, "name") : NULL;
	PyObject *origin = spec ? PyObject_GetAttrString(spec, "origin") : NULL;
	PyObject *code = NULL, *text = NULL;
	const char *file = NULL;

	PyErr_Clear();
	if (loader && name && origin && PyUnicode_Check(origin) && is_source_loader(loader)) {
		file = value_text_or(object_to_value(&definitions.arena, origin), NULL);
		code = PyObject_CallMethod(loader, "get_code", "O", name);
		text = file ? read_regular_file(file) : NULL;
	}
	PyErr_Clear();
	if (code && file)
		definitions_add(code, text, file, 0);
	Py_DecRef(text);
	Py_DecRef(code);
	Py_DecRef(origin);
	Py_DecRef(name);
	Py_DecRef(loader);
}

/* --- lookups --- */

/* The names in an expression, as a tuple. An expression that is a name of the module is not
 * compiled. */
static PyObject *names_of_expression(PyObject *names, const char *expression)
{
	PyObject *name = PyUnicode_FromString(expression), *used = NULL, *code = NULL;

	if (name && PyDict_Contains(names, name) == 1) {
		used = PyTuple_Pack(1, name);
	} else {
		PyErr_Clear();
		code = expression_compile(expression, "<expression>");
		used = code ? PyObject_GetAttrString(code, "co_names") : NULL;
	}
	Py_DecRef(code);
	Py_DecRef(name);
	PyErr_Clear();
	return used;
}

struct fact_source definitions_file(void)
{
	if (!definitions.n_units)
		return (struct fact_source){ 0 };
	return (struct fact_source){ .present = true, .file = definitions.units[0].file };
}

struct definition {
	struct binding at;
	PyObject *name; /* a reference */
};

/* NULL: the unit cannot be parsed. */
static PyObject *tree_of(struct unit *unit)
{
	if (!unit->tree && unit->text) {
		unit->tree = definition_items_parse(unit->text);
		Py_DecRef(unit->text);
		unit->text = NULL;
	}
	return unit->tree;
}

/* The first name of a tuple that is bound, preferably to another object than a module; out has a
 * new reference to it. */
static bool find_bound_name(PyObject *names, PyObject *used, struct definition *out)
{
	for (int pass = 0; pass < 2; pass++)
		for (Py_ssize_t i = 0; i < PyTuple_Size(used); i++) {
			PyObject *name = PyTuple_GetItem(used, i);
			PyObject *object = PyDict_GetItem(names, name);

			if (!object || (pass == 0 && PyModule_Check(object)) ||
				!bindings_find(names, name, &out->at))
				continue;
			out->name = name;
			Py_IncRef(name);
			return true;
		}
	return false;
}

/* Finds where an expression's object is bound, or is added to the container that is bound. */
static bool find_definition(PyObject *names, const char *expression, struct definition *out)
{
	PyObject *used, *tree;
	bool is_found;

	if (!definitions.n_units)
		return false;
	scan();
	used = names_of_expression(names, expression);
	is_found = used && find_bound_name(names, used, out);
	if (is_found && strchr(expression, '[')) {
		tree = tree_of(&definitions.units[out->at.unit]);
		if (tree)
			out->at.line = definition_items_statement(
				tree, out->name, out->at.line, expression);
	}
	Py_DecRef(used);
	PyErr_Clear();
	return is_found;
}

/* (line, those of `lines` that belong to the object): a new reference; NULL: the line of the
 * definition is that of its name, and all lines belong to the object. */
static PyObject *find_own_lines(
	const struct definition *definition, const char *expression, PyObject *lines)
{
	PyObject *tree = tree_of(&definitions.units[definition->at.unit]);

	return tree && lines ? definition_items_find(tree, definition->name, definition->at.line,
				       expression, lines)
			     : NULL;
}

struct fact_source definitions_find(PyObject *names, const char *expression)
{
	struct fact_source source = definitions_file();
	struct definition definition;
	PyObject *found = NULL, *no_lines;

	if (!find_definition(names, expression, &definition))
		return source;
	source.file = definitions.units[definition.at.unit].file;
	source.line = fact_int(definition.at.line);
	if (definitions.units[definition.at.unit].cell)
		source.cell = fact_int(definitions.units[definition.at.unit].cell);
	if (strpbrk(expression, "[.")) {
		no_lines = PyList_New(0);
		found = find_own_lines(&definition, expression, no_lines);
		Py_DecRef(no_lines);
	}
	if (found)
		source.line = fact_int(PyLong_AsLong(PyTuple_GetItem(found, 0)));
	Py_DecRef(found);
	Py_DecRef(definition.name);
	PyErr_Clear();
	return source;
}

/* --- ignores --- */

static void add_ignore(
	struct arena *arena, struct fact_ignore_list *list, const struct source_comment *comment)
{
	struct fact_ignore *ignore = FACT_LIST_ADD(arena, list);

	ignore->line = fact_int(comment->line);
	if (definitions.units[comment->unit].cell)
		ignore->cell = fact_int(definitions.units[comment->unit].cell);
	ignore_comment_parse(arena, comment->text, ignore);
}

static bool has_ignore(const struct fact_ignore_list *list, int64_t line, int64_t cell)
{
	for (size_t i = 0; i < list->n_items; i++)
		if (list->items[i].line.value == line &&
			fact_int_or(list->items[i].cell, 0) == cell)
			return true;
	return false;
}

static bool is_on_statement(
	const struct source_comment *comment, const struct definition *definition)
{
	return comment->unit == definition->at.unit && comment->first <= definition->at.line &&
	       comment->last >= definition->at.line;
}

static PyObject *signed_line(const struct source_comment *comment)
{
	return PyLong_FromLong(comment->is_alone ? -comment->line : comment->line);
}

/* The lines of the statement's comments that belong to the object; a new list. */
static PyObject *find_comment_lines(const struct definition *definition, const char *expression)
{
	PyObject *lines = PyList_New(0), *found, *line;

	for (size_t i = 0; lines && i < definitions.comments.n_items; i++)
		if (is_on_statement(&definitions.comments.items[i], definition)) {
			line = signed_line(&definitions.comments.items[i]);
			PyList_Append(lines, line);
			Py_DecRef(line);
		}
	if (!lines || !PyList_Size(lines))
		return lines;
	found = find_own_lines(definition, expression, lines);
	if (found) {
		Py_DecRef(lines);
		lines = PyTuple_GetItem(found, 1);
		Py_IncRef(lines);
	}
	Py_DecRef(found);
	return lines;
}

void definitions_add_ignores(
	struct arena *arena, PyObject *names, const char *expression, struct fact_ignore_list *list)
{
	struct definition definition;
	PyObject *lines, *line;

	if (!definitions.comments.n_items || !find_definition(names, expression, &definition))
		return;
	lines = find_comment_lines(&definition, expression);
	for (size_t i = 0; lines && i < definitions.comments.n_items; i++) {
		const struct source_comment *comment = &definitions.comments.items[i];

		if (!is_on_statement(comment, &definition))
			continue;
		line = signed_line(comment);
		if (PySequence_Contains(lines, line) == 1 &&
			!has_ignore(list, comment->line, definitions.units[comment->unit].cell))
			add_ignore(arena, list, comment);
		Py_DecRef(line);
	}
	Py_DecRef(lines);
	Py_DecRef(definition.name);
	PyErr_Clear();
}

struct fact_ignore_list definitions_all_ignores(struct arena *arena)
{
	struct fact_ignore_list list = { .known = true };

	scan();
	for (size_t i = 0; i < definitions.comments.n_items; i++)
		add_ignore(arena, &list, &definitions.comments.items[i]);
	return list;
}
