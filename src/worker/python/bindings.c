// SPDX-License-Identifier: MIT
#include "worker/python/bindings.h"

#include "worker/python/import.h"

#include <limits.h>

enum { MAX_NESTED_CODE = 100 /* functions in functions */ };

static struct {
	PyObject *of_module, *of_functions; /* name: unit << 32 | line */
	/* (name of the imported module, unit << 32 | line) of each `from x import *`. */
	PyObject *stars;
} bindings;

struct opcodes {
	long store_name, store_global, load_const, import_name, extended_arg;
};

/* The number of an opcode; -1: this version does not have it. */
static long opcode_named(PyObject *map, const char *name)
{
	PyObject *number = PyObject_CallMethod(map, "get", "s", name);
	long opcode = number && PyLong_Check(number) ? PyLong_AsLong(number) : -1;

	Py_DecRef(number);
	return opcode;
}

static bool read_opcodes(struct opcodes *out)
{
	PyObject *module = import_for_suai("opcode");
	/* A dict; since CPython 3.15, a frozendict, which is not an instance of a subclass. */
	PyObject *map = module ? PyObject_GetAttrString(module, "opmap") : NULL;
	bool has_map = map;

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

static void add_binding(PyObject *known, PyObject *name, size_t unit, long line)
{
	PyObject *old = PyDict_GetItem(known, name);
	PyObject *position = position_of(unit, line);

	if (position && line > 0 && (!old || PyLong_AsLongLong(old) < PyLong_AsLongLong(position)))
		PyDict_SetItem(known, name, position);
	Py_DecRef(position);
}

static void add_star(PyObject *module, size_t unit, long line)
{
	PyObject *position = position_of(unit, line);
	PyObject *star = position ? PyTuple_Pack(2, module, position) : NULL;

	if (star)
		PyList_Append(bindings.stars, star);
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
			add_binding(depth ? bindings.of_functions : bindings.of_module, name, unit,
				line_at(&parts, at));
		argument = 0;
		PyErr_Clear();
	}
	scan_nested(opcodes, parts.constants, (PyObject *)Py_TYPE(code), unit, depth);
out:
	close_code(&parts);
}

void bindings_scan(PyObject *code, size_t unit)
{
	struct opcodes opcodes;

	if (!bindings.of_module) {
		bindings.of_module = PyDict_New();
		bindings.of_functions = PyDict_New();
		bindings.stars = PyList_New(0);
	}
	if (read_opcodes(&opcodes))
		scan_code(&opcodes, code, unit, 0);
}

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

bool bindings_find(PyObject *names, PyObject *name, struct binding *out)
{
	PyObject *position = PyDict_GetItem(bindings.of_module, name);
	long long number;

	position = position ? position : PyDict_GetItem(bindings.of_functions, name);
	for (Py_ssize_t i = PyList_Size(bindings.stars); !position && i-- > 0;) {
		PyObject *star = PyList_GetItem(bindings.stars, i);

		if (star_has(names, PyTuple_GetItem(star, 0), name))
			position = PyTuple_GetItem(star, 1);
	}
	if (!position)
		return false;
	number = PyLong_AsLongLong(position);
	*out = (struct binding){ .unit = (size_t)(number >> 32),
		.line = (long)(number & 0xffffffff) };
	return true;
}
