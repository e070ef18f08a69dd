// SPDX-License-Identifier: MIT
/*
 * The modules of a dotted name. Which part of it is a module is known only once it is imported:
 * PIL.Image is one, and has to be imported; pyarrow.Tensor is a class, and tensorflow.experimental
 * an attribute.
 */
#include "targets/consumer_imports.h"

#include "model/usual_names.h"
#include "supervisor/answer.h"
#include "supervisor/find_python.h"

/* An attribute that is there and not a module is not imported: a function can have the name of the
 * file that defines it. */
static const char source[] =
	"import ast, builtins, importlib, os, sys, types\n"
	"text, code, usual = sys.argv[1:4]\n"
	"out = os.fdopen(int(sys.argv[4]), 'w')\n"
	"null = os.open(os.devnull, os.O_RDWR)\n"
	"os.dup2(null, 1), os.dup2(null, 2)\n"
	"usual = dict(each.split('=') for each in usual.split())\n"
	"def load(name):\n"
	"    try:\n"
	"        return importlib.import_module(name)\n"
	"    except BaseException:\n"
	"        return None\n"
	"try:\n"
	"    tree = compile(text.strip(), '<--consumer>', 'eval', ast.PyCF_ONLY_AST)\n"
	"except (SyntaxError, ValueError) as error:\n"
	"    out.write(f'!{error}')\n"
	"    out.flush()\n"
	"    os._exit(0)\n"
	"bound = {'_', 'np', *dir(builtins)}\n"
	"for node in [*ast.walk(tree), *ast.walk(ast.parse(code))]:\n"
	"    if isinstance(node, ast.arg):\n"
	"        bound.add(node.arg)\n"
	"    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):\n"
	"        bound.add(node.id)\n"
	"    elif isinstance(node, ast.alias):\n"
	"        bound.add((node.asname or node.name).split('.')[0])\n"
	"    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):\n"
	"        bound.add(node.name)\n"
	"bound.discard('np' if code and 'np' not in code else '')\n"
	"chains = {}\n"
	"for node in ast.walk(tree):\n"
	"    names, at = [], node\n"
	"    while isinstance(at, ast.Attribute):\n"
	"        names, at = [at.attr, *names], at.value\n"
	"    if isinstance(at, ast.Name) and at.id not in bound:\n"
	"        chains[at.lineno, at.col_offset, len(names)] = [at.id, *names]\n"
	"lines = {}\n"
	"for key, (root, *names) in sorted(chains.items()):\n"
	"    top = full = needed = usual.get(root, root)\n"
	"    module = load(top)\n"
	"    if not module and not names:\n"
	"        continue\n"
	"    for name in names if module else ():\n"
	"        path, value = f'{full}.{name}', getattr(module, name, None)\n"
	"        module = load(path) if value is None else value\n"
	"        if not isinstance(module, types.ModuleType) or sys.modules.get(path) is not module:\n"
	"            break\n"
	"        full = path\n"
	"        needed = needed if root != top and value else path\n"
	"    if root != top:\n"
	"        lines[f'import {top} as {root}'] = 1\n"
	"    if root == top or needed != top:\n"
	"        lines[f'import {needed}'] = 1\n"
	"for line in lines:\n"
	"    if not any(other.startswith(line + '.') for other in lines):\n"
	"        out.write(line + '\\n')\n"
	"out.flush()\n"
	"os._exit(0)\n"; /* without the ends of the libraries */

static const char *show_usual_names(struct arena *arena)
{
	const char *text = "";

	for (const struct usual_name *row = usual_names; row->name; row++)
		text = arena_printf(arena, "%s %s=%s", text, row->name, row->module);
	return text;
}

const char *consumer_imports(struct arena *arena, const struct import_settings *settings,
	const char *expression, const char *code, const char **error)
{
	const char *const arguments[] = { "-c", source, expression, code ? code : "",
		show_usual_names(arena), NULL };
	struct child_answer answer = { 0 };
	const char *lines = NULL;
	struct python python;
	struct err ignored;

	*error = NULL;
	if (!python_find(settings->python, &python, &ignored) &&
		!answer_read(python.executable, arguments, (double)settings->timeout_seconds,
			&answer, &ignored) &&
		answer_is_complete(&answer))
		lines = arena_copy(
			arena, answer.text.n_bytes ? answer.text.bytes : "", answer.text.n_bytes);
	text_free(&answer.text);
	python_free(&python);
	if (lines && *lines == '!') {
		*error = lines + 1;
		return NULL;
	}
	return lines;
}
