// SPDX-License-Identifier: MIT
#include "worker/python/definitions.h"

#include "base/array_size.h"
#include "base/read_file.h"
#include "facts/ignore_comment.h"
#include "worker/python/definition_items.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_UNITS = 10000,     /* cells */
	MAX_NESTED_CODE = 100, /* functions in functions */
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

/* A comment, and the lines of its statement. */
struct comment {
	size_t unit;
	long first, last, line;
	bool is_alone; /* on its line */
	PyObject *text;
};

static struct {
	struct arena arena;
	struct unit *units;
	size_t n_units;
	/* Name: unit << 32 | line. Those that functions declare global are second to the module's.
	 */
	PyObject *bindings, *global_bindings;
	/* (name of the imported module, unit << 32 | line) of each `from x import *`. */
	PyObject *stars;
	struct comment *comments;
	size_t n_comments;
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

/* --- bindings --- */

struct opcodes {
	long store_name, store_global, load_const, import_name, extended_arg;
};

/* -1: this version has none. */
static long opcode_named(PyObject *map, const char *name)
{
	PyObject *number = PyDict_GetItemString(map, name);

	return number ? PyLong_AsLong(number) : -1;
}

static bool read_opcodes(struct opcodes *out)
{
	PyObject *module = import_for_suai("opcode");
	PyObject *map = module ? PyObject_GetAttrString(module, "opmap") : NULL;
	bool has_map = map && PyDict_Check(map);

	if (has_map)
		*out = (struct opcodes){ opcode_named(map, "STORE_NAME"),
			opcode_named(map, "STORE_GLOBAL"), opcode_named(map, "LOAD_CONST"),
			opcode_named(map, "IMPORT_NAME"), opcode_named(map, "EXTENDED_ARG") };
	Py_DecRef(map);
	Py_DecRef(module);
	PyErr_Clear();
	return has_map;
}

/* The parts of a code object that are read. */
struct code_parts {
	PyObject *bytes, *names, *constants, *lines;
	const unsigned char *units; /* pairs of opcode and argument */
	Py_ssize_t n_bytes;
	long line, line_end; /* the current line and the offset of its end; 0: none */
};

static bool open_code(PyObject *code, struct code_parts *out)
{
	char *bytes;

	*out = (struct code_parts){ .bytes = PyObject_GetAttrString(code, "co_code"),
		.names = PyObject_GetAttrString(code, "co_names"),
		.constants = PyObject_GetAttrString(code, "co_consts"),
		.lines = PyObject_CallMethod(code, "co_lines", NULL) };
	if (!out->bytes || !out->names || !out->constants || !out->lines ||
		PyBytes_AsStringAndSize(out->bytes, &bytes, &out->n_bytes))
		return false;
	out->units = (const unsigned char *)bytes;
	return PyTuple_Check(out->names) && PyTuple_Check(out->constants);
}

static void close_code(struct code_parts *parts)
{
	Py_DecRef(parts->bytes);
	Py_DecRef(parts->names);
	Py_DecRef(parts->constants);
	Py_DecRef(parts->lines);
	PyErr_Clear();
}

/* The line of the instruction at an offset, which only grows; 0: none. */
static long line_at(struct code_parts *parts, Py_ssize_t offset)
{
	while (offset >= parts->line_end) {
		PyObject *item = PyIter_Next(parts->lines), *line;

		if (!item || !PyTuple_Check(item) || PyTuple_Size(item) != 3) {
			Py_DecRef(item);
			parts->line_end = LONG_MAX;
			parts->line = 0;
			break;
		}
		line = PyTuple_GetItem(item, 2);
		parts->line_end = PyLong_AsLong(PyTuple_GetItem(item, 1));
		parts->line = line == Py_None ? 0 : PyLong_AsLong(line);
		Py_DecRef(item);
	}
	PyErr_Clear();
	return parts->line;
}

static PyObject *position_of(size_t unit, long line)
{
	return PyLong_FromLongLong((long long)unit << 32 | (line & 0xffffffff));
}

static void add_binding(PyObject *bindings, PyObject *name, size_t unit, long line)
{
	PyObject *old = PyDict_GetItem(bindings, name);
	PyObject *position = position_of(unit, line);

	if (position && line > 0 && (!old || PyLong_AsLongLong(old) < PyLong_AsLongLong(position)))
		PyDict_SetItem(bindings, name, position);
	Py_DecRef(position);
}

static void add_star(PyObject *module, size_t unit, long line)
{
	PyObject *position = position_of(unit, line);
	PyObject *star = position ? PyTuple_Pack(2, module, position) : NULL;

	if (star)
		PyList_Append(definitions.stars, star);
	Py_DecRef(star);
	Py_DecRef(position);
}

/* Whether the constant is the name list of `from x import *`. */
static bool is_star(PyObject *constant)
{
	return constant && PyTuple_Check(constant) && PyTuple_Size(constant) == 1 &&
	       PyUnicode_Check(PyTuple_GetItem(constant, 0)) &&
	       !PyUnicode_CompareWithASCIIString(PyTuple_GetItem(constant, 0), "*");
}

static void scan_code(const struct opcodes *opcodes, PyObject *code, size_t unit, int depth);

static void scan_nested(
	const struct opcodes *opcodes, PyObject *constants, PyObject *type, size_t unit, int depth)
{
	for (Py_ssize_t i = 0; i < PyTuple_Size(constants) && depth < MAX_NESTED_CODE; i++) {
		PyObject *constant = PyTuple_GetItem(constants, i);

		if ((PyObject *)Py_TYPE(constant) == type)
			scan_code(opcodes, constant, unit, depth + 1);
	}
}

/* Caches between the instructions have opcode 0. */
static void scan_code(const struct opcodes *opcodes, PyObject *code, size_t unit, int depth)
{
	struct code_parts parts;
	unsigned long argument = 0;
	PyObject *constant = NULL;

	if (!open_code(code, &parts))
		goto out;
	for (Py_ssize_t at = 0; at + 1 < parts.n_bytes; at += 2) {
		long opcode = parts.units[at];
		bool binds = opcode == opcodes->store_global ||
			     (!depth && opcode == opcodes->store_name);
		PyObject *name;

		argument = argument << 8 | parts.units[at + 1];
		if (opcode == opcodes->extended_arg)
			continue;
		name = binds || opcode == opcodes->import_name
			       ? PyTuple_GetItem(parts.names, (Py_ssize_t)argument)
			       : NULL;
		if (opcode == opcodes->load_const)
			constant = PyTuple_GetItem(parts.constants, (Py_ssize_t)argument);
		else if (name && !binds && is_star(constant))
			add_star(name, unit, line_at(&parts, at));
		else if (name && binds)
			add_binding(depth ? definitions.global_bindings : definitions.bindings,
				name, unit, line_at(&parts, at));
		argument = 0;
		PyErr_Clear();
	}
	scan_nested(opcodes, parts.constants, (PyObject *)Py_TYPE(code), unit, depth);
out:
	close_code(&parts);
}

/* --- comments --- */

static const char *comment_text(struct arena *arena, PyObject *text)
{
	return value_text_or(object_to_value(arena, text), "");
}

static void add_comment(size_t unit, PyObject *text, long line)
{
	struct arena arena = { 0 };
	const char *comment = comment_text(&arena, text);

	if (ignore_comment_is(comment)) {
		Py_IncRef(text);
		definitions.comments = arena_grow(&definitions.arena, definitions.comments,
			definitions.n_comments, sizeof(*definitions.comments));
		definitions.comments[definitions.n_comments++] =
			(struct comment){ .unit = unit, .line = line, .text = text };
	}
	arena_free(&arena);
}

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

/* Adds the comments of a unit. Those after a statement's last token are on its lines, too; those of
 * decorators are on the lines of what they decorate. */
static void scan_tokens(const struct token_kinds *kinds, PyObject *tokens, size_t unit)
{
	size_t first_comment = definitions.n_comments;
	long first_line = 0, code_line = 0;
	bool begins_line = true, is_decorator = false;
	PyObject *token;

	while ((token = PyIter_Next(tokens))) {
		long kind = PyTuple_Check(token) ? PyLong_AsLong(PyTuple_GetItem(token, 0)) : -1;
		long line = kind >= 0 ? token_line(token, 2) : -1;

		if (kind == kinds->comment) {
			size_t before = definitions.n_comments;

			add_comment(unit, PyTuple_GetItem(token, 1), line);
			if (definitions.n_comments > before) {
				struct comment *comment = &definitions.comments[before];

				comment->first = comment->last = line;
				comment->is_alone = code_line != line;
			}
		} else if (kind == kinds->newline && is_decorator) {
			begins_line = true;
		} else if (kind == kinds->newline) {
			begins_line = true;
			for (size_t i = first_comment; i < definitions.n_comments; i++)
				if (definitions.comments[i].line >= first_line && first_line) {
					definitions.comments[i].first = first_line;
					definitions.comments[i].last = line;
				}
			first_comment = definitions.n_comments;
			first_line = 0;
		} else if (kind != kinds->nl && kind != kinds->indent && kind != kinds->dedent) {
			if (begins_line)
				is_decorator = PyUnicode_CompareWithASCIIString(
						       PyTuple_GetItem(token, 1), "@") == 0;
			begins_line = false;
			first_line = first_line ? first_line : line;
			code_line = token_line(token, 3);
		}
		Py_DecRef(token);
	}
	PyErr_Clear();
}

/* With the line ends of Python's parser, for which "\r" alone is one, too. A new reference. */
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

static void scan_comments(PyObject *text, size_t unit)
{
	PyObject *tokenize, *tokens;
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
			scan_tokens(&kinds, tokens, unit);
		Py_DecRef(tokens);
		Py_DecRef(text);
	}
	Py_DecRef(tokenize);
	PyErr_Clear();
}

/* Scans what was added since the last call. */
static void scan(void)
{
	struct opcodes opcodes;
	bool has_opcodes = false;

	if (!definitions.bindings) {
		definitions.bindings = PyDict_New();
		definitions.global_bindings = PyDict_New();
		definitions.stars = PyList_New(0);
	}
	for (size_t i = 0; i < definitions.n_units; i++) {
		struct unit *unit = &definitions.units[i];

		if (unit->is_scanned)
			continue;
		unit->is_scanned = true;
		has_opcodes = has_opcodes || read_opcodes(&opcodes);
		if (has_opcodes)
			scan_code(&opcodes, unit->code, i, 0);
		scan_comments(unit->text, i);
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

/* Whether the module that `from module import *` imported has the name. */
static bool star_has(PyObject *names, PyObject *module, PyObject *name)
{
	PyObject *package = PyDict_GetItemString(names, "__package__");
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *imported = PyDict_GetItem(modules, module), *dictionary, *full = NULL;
	bool has;

	if (!imported && package && PyUnicode_Check(package)) {
		full = PyUnicode_FromFormat("%U.%U", package, module);
		imported = full ? PyDict_GetItem(modules, full) : NULL;
	}
	dictionary = imported && PyModule_Check(imported) ? PyModule_GetDict(imported) : NULL;
	has = dictionary && PyDict_Contains(dictionary, name) == 1;
	Py_DecRef(full);
	PyErr_Clear();
	return has;
}

/* A borrowed position; NULL: unknown. */
static PyObject *find_binding(PyObject *names, PyObject *name)
{
	PyObject *position = PyDict_GetItem(definitions.bindings, name);

	position = position ? position : PyDict_GetItem(definitions.global_bindings, name);
	for (Py_ssize_t i = PyList_Size(definitions.stars); !position && i-- > 0;) {
		PyObject *star = PyList_GetItem(definitions.stars, i);

		if (star_has(names, PyTuple_GetItem(star, 0), name))
			position = PyTuple_GetItem(star, 1);
	}
	return position;
}

/* A tuple; an expression that is a name of the module is not compiled. */
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
	size_t unit;
	long line;
	PyObject *name;
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

/* Where the first name of an expression is bound that is not a module; the name is a new
 * reference. */
static bool find_definition(PyObject *names, const char *expression, struct definition *out)
{
	PyObject *used, *position = NULL;
	long long number;

	if (!definitions.n_units)
		return false;
	scan();
	used = names_of_expression(names, expression);
	for (int pass = 0; pass < 2; pass++)
		for (Py_ssize_t i = 0; used && !position && i < PyTuple_Size(used); i++) {
			PyObject *name = PyTuple_GetItem(used, i);
			PyObject *object = PyDict_GetItem(names, name);

			if (object && (pass == 1 || !PyModule_Check(object)))
				position = find_binding(names, name);
			if (position) {
				number = PyLong_AsLongLong(position);
				*out = (struct definition){ .unit = (size_t)(number >> 32),
					.line = (long)(number & 0xffffffff),
					.name = name };
				Py_IncRef(name);
			}
		}
	if (position && strchr(expression, '[')) {
		PyObject *tree = tree_of(&definitions.units[out->unit]);

		if (tree)
			out->line =
				definition_items_statement(tree, out->name, out->line, expression);
	}
	Py_DecRef(used);
	PyErr_Clear();
	return position != NULL;
}

/* (line, those of `lines` that belong to the object): a new reference; NULL: the line of the
 * definition is that of its name, and all lines belong to the object. */
static PyObject *find_own_lines(
	const struct definition *definition, const char *expression, PyObject *lines)
{
	PyObject *tree = tree_of(&definitions.units[definition->unit]);

	return tree && lines ? definition_items_find(
				       tree, definition->name, definition->line, expression, lines)
			     : NULL;
}

struct fact_source definitions_find(PyObject *names, const char *expression)
{
	struct fact_source source = definitions_file();
	struct definition definition;
	PyObject *found = NULL, *no_lines;

	if (!find_definition(names, expression, &definition))
		return source;
	source.file = definitions.units[definition.unit].file;
	source.line = fact_int(definition.line);
	if (definitions.units[definition.unit].cell)
		source.cell = fact_int(definitions.units[definition.unit].cell);
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
	struct arena *arena, struct fact_ignore_list *list, const struct comment *comment)
{
	struct fact_ignore *ignore = FACT_LIST_ADD(arena, list);

	ignore->line = fact_int(comment->line);
	if (definitions.units[comment->unit].cell)
		ignore->cell = fact_int(definitions.units[comment->unit].cell);
	ignore_comment_parse(arena, comment_text(arena, comment->text), ignore);
}

static bool has_ignore(const struct fact_ignore_list *list, int64_t line, int64_t cell)
{
	for (size_t i = 0; i < list->n_items; i++)
		if (list->items[i].line.value == line &&
			fact_int_or(list->items[i].cell, 0) == cell)
			return true;
	return false;
}

static bool is_on_statement(const struct comment *comment, const struct definition *definition)
{
	return comment->unit == definition->unit && comment->first <= definition->line &&
	       comment->last >= definition->line;
}

static PyObject *signed_line(const struct comment *comment)
{
	return PyLong_FromLong(comment->is_alone ? -comment->line : comment->line);
}

/* Those of the statement's comments that belong to the object; a new list. */
static PyObject *find_comment_lines(const struct definition *definition, const char *expression)
{
	PyObject *lines = PyList_New(0), *found, *line;

	for (size_t i = 0; lines && i < definitions.n_comments; i++)
		if (is_on_statement(&definitions.comments[i], definition)) {
			line = signed_line(&definitions.comments[i]);
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

	if (!definitions.n_comments || !find_definition(names, expression, &definition))
		return;
	lines = find_comment_lines(&definition, expression);
	for (size_t i = 0; lines && i < definitions.n_comments; i++) {
		const struct comment *comment = &definitions.comments[i];

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
	for (size_t i = 0; i < definitions.n_comments; i++)
		add_ignore(arena, &list, &definitions.comments[i]);
	return list;
}
