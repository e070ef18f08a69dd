// SPDX-License-Identifier: MIT
/* Lines of names, and comments there, of code compiled in this process. */
#include "base/text.h"
#include "worker/python/definitions.h"
#include "worker/python/embedded_test.h"

#include <stdio.h>
#include <string.h>

static struct arena arena;

static void add(const char *source, const char *file, int cell)
{
	PyObject *code = Py_CompileString(source, file, Py_file_input);
	PyObject *text = PyUnicode_FromString(source);

	CHECK(code && text, "%s", file);
	definitions_add(code, text, file, cell);
	Py_DecRef(code);
	Py_DecRef(text);
}

static void check(const char *expression, const char *file, int64_t line, int64_t cell)
{
	const struct fact_source found = definitions_find(test_names, expression);

	CHECK(!strcmp(found.file, file), "%s: %s", expression, found.file);
	CHECK(fact_int_or(found.line, 0) == line, "%s: line %d", expression,
		(int)fact_int_or(found.line, 0));
	CHECK(fact_int_or(found.cell, 0) == cell, "%s: cell", expression);
	CHECK(!PyErr_Occurred(), "%s", expression);
}

static void check_ignores(const char *expression, const char *expected)
{
	const struct fact_source source = definitions_find(test_names, expression);
	struct fact_ignore_list list = { .known = true };
	struct text text = { 0 };

	for (int i = 0; i < 2; i++) /* the second time adds nothing */
		definitions_add_ignores(&arena, &source, &list);
	for (size_t i = 0; i < list.n_items; i++) {
		const struct fact_ignore *ignore = &list.items[i];

		text_printf(&text, "%d:", (int)ignore->line.value);
		for (size_t k = 0; k < ignore->rules.n_items; k++)
			text_printf(&text, " %s", ignore->rules.items[k]);
		text_printf(&text, " (%s)",
			fact_text_or(ignore->reason, ignore->error ? ignore->error : ""));
	}
	CHECK(!strcmp(text.bytes ? text.bytes : "", expected), "%s: %s", expression,
		text.bytes ? text.bytes : "");
	text_free(&text);
}

/* Cells of a notebook: the last one that binds a name counts. */
static void test_cells(void)
{
	add("import os\n"
	    "a, b = 1, 2  # suai: ignore[X1 , Y] why  # and more\n"
	    "text = '# suai: ignore[Z]'\n",
		"n.ipynb", 1);
	check("a", "n.ipynb", 2, 1);
	check_ignores("b", "2: X1 Y (why)");
	check_ignores("text", "");
	add("a = (\n"
	    "    3)  #suai:ignore[Z]\n"
	    "def set():\n"
	    "    global c, b\n"
	    "    c = b = 4  # suai: ignore[\n",
		"n.ipynb", 2);
	check("a[::2].b", "n.ipynb", 1, 2);
	check_ignores("a", "2: Z ()");
	check("b", "n.ipynb", 2, 1);
	check_ignores("b", "2: X1 Y (why)");
	check("c", "n.ipynb", 5, 2);
	check_ignores("c",
		"5: (expected '# suai: ignore[RULE, ...]', optionally with a reason after it)");
	check("len(a)", "n.ipynb", 1, 2);
	check("unknown", "n.ipynb", 0, 0);
	check("1 +", "n.ipynb", 0, 0);
	CHECK(definitions_all_ignores(&arena).n_items == 3, "all");
}

/* More names than one byte of an argument can count, and a text that cannot be tokenized. */
static void test_odd_sources(void)
{
	struct text source = { 0 };

	for (int i = 0; i < 70000; i++)
		text_printf(&source, "x%d = %d\n", i, i);
	add(source.bytes, "big.py", 0);
	check("x0", "big.py", 1, 0);
	check("x69999", "big.py", 70000, 0);
	text_free(&source);
	definitions_add(Py_CompileString("y = 1", "y.py", Py_file_input),
		PyBytes_FromString("y = '''\xff # suai: ignore[A]"), "y.py", 0);
	check("y", "y.py", 1, 0);
	check_ignores("y", "");
	definitions_add(Py_None, NULL, "none.py", 0);
	check("y", "y.py", 1, 0);
}

int main(void)
{
	python_start("import os\n"
		     "a = b = c = text = y = x0 = x69999 = 0\n");
	check_ignores("a", "");
	test_cells();
	test_odd_sources();
	arena_free(&arena);
	return test_end();
}
