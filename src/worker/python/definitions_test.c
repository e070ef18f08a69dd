// SPDX-License-Identifier: MIT
/* Lines of names, and comments there, of code compiled in this process. */
#include "base/array_size.h"
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
	struct fact_ignore_list list = { .known = true };
	struct text text = { 0 };

	for (int i = 0; i < 2; i++) /* the second time adds nothing */
		definitions_add_ignores(&arena, test_names, expression, &list);
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

/* A comment on a line of one item or name is not that of the others; one after a bracket is. */
static void test_items(void)
{
	static const char source[] =
		"f = len\n"
		"items = [f(),  # suai: ignore[A2]\n"
		"    f(\n"
		"        1),  # suai: ignore[A4]\n"
		"    f()]\n"
		"\n"
		"table = {  # suai: ignore[A7]\n"
		"    'k': f(), 'l': f(),  # suai: ignore[A8]\n"
		"    'n': [f(),  # suai: ignore[A9]\n"
		"          f()],\n"
		"}\n"
		"p, (q, r) = (f(),  # suai: ignore[A12]\n"
		"    (f(),  # suai: ignore[A13]\n"
		"     f()))\n"
		"(s,  # suai: ignore[A15]\n"
		" t) = f()\n"
		"u = v = [  # suai: ignore[A17]\n"
		"    f(),  # suai: ignore[A18]\n"
		"    f()]  # suai: ignore[A19]\n"
		"w, *x = (f(),  # suai: ignore[A20]\n"
		"    f(),\n"
		"    f())  # suai: ignore[A22]\n"
		"y = dict(a=f(),  # suai: ignore[A23]\n"
		"    b=f(z := 1))  # suai: ignore[A24]\n"
		"grown = [*y,  # suai: ignore[A25]\n"
		"    f()]\n"
		"if y:\n"
		"    with f() as m, \\\n"
		"         f() as n: pass; o, l = f(), f()  # suai: ignore[A29]\n"
		"from x import (g,  # suai: ignore[A30]\n"
		"    h as i)\n"
		"j, k = (  # suai: ignore[A32]\n"
		"    f(),\n"
		"    f())  # suai: ignore[A34]\n"
		"alone = [\n"
		"    # suai: ignore[A36]\n"
		"    f(\n"
		"        # suai: ignore[A38]\n"
		"        1), f()]\n";
	static const struct {
		const char *expression, *ignores;
		int line;
	} cases[] = {
		{ "items", "2: A2 ()4: A4 ()", 2 },
		{ "items[0]", "2: A2 ()", 2 },
		{ "items[1]", "4: A4 ()", 3 },
		{ "items[-1]", "", 5 },
		{ "items[0].T[::2]", "2: A2 ()", 2 },
		{ "items[3]", "", 2 }, /* appended later */
		{ "f(items[2])[0]", "", 5 },
		{ "items[1:][0]", "2: A2 ()4: A4 ()", 2 },
		{ "table['k']", "7: A7 ()8: A8 ()", 8 },
		{ "table['l']", "7: A7 ()8: A8 ()", 8 },
		{ "table['n'][0]", "7: A7 ()9: A9 ()", 9 },
		{ "table['n'][1]", "7: A7 ()", 10 },
		{ "table['n']", "7: A7 ()9: A9 ()", 9 },
		{ "p", "12: A12 ()", 12 },
		{ "q", "13: A13 ()", 12 },
		{ "r", "", 12 },
		{ "s", "15: A15 ()", 15 },
		{ "t", "", 16 },
		{ "u[0]", "17: A17 ()18: A18 ()", 18 },
		{ "v[1]", "17: A17 ()19: A19 ()", 19 },
		{ "w", "20: A20 ()", 20 },
		{ "x[0]", "", 21 },
		{ "x[1]", "22: A22 ()", 22 },
		{ "y['a']", "23: A23 ()", 23 },
		{ "y['b']", "24: A24 ()", 24 },
		{ "z", "24: A24 ()", 24 },
		{ "grown[0]", "25: A25 ()", 25 },
		{ "grown[-1]", "", 26 },
		{ "m", "", 28 },
		{ "n", "29: A29 ()", 29 },
		{ "o", "29: A29 ()", 29 },
		{ "l", "29: A29 ()", 29 },
		{ "g", "30: A30 ()", 30 },
		{ "i", "", 30 },
		{ "j", "32: A32 ()", 32 },
		{ "alone[0]", "38: A38 ()", 37 },
		{ "alone[1]", "", 39 },
		{ "k", "32: A32 ()34: A34 ()", 32 },
	};

	add(source, "i.py", 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check(cases[i].expression, "i.py", cases[i].line, 0);
		check_ignores(cases[i].expression, cases[i].ignores);
	}
}

/* More names than one byte of an argument can count, and a text that cannot be tokenized. */
static void test_odd_sources(void)
{
	PyObject *code = Py_CompileString("y = 1", "y.py", Py_file_input);
	PyObject *untokenized = PyBytes_FromString("y = '''\xff # suai: ignore[A]");
	struct text source = { 0 };

	for (int i = 0; i < 70000; i++)
		text_printf(&source, "x%d = %d\n", i, i);
	add(source.bytes, "big.py", 0);
	check("x0", "big.py", 1, 0);
	check("x69999", "big.py", 70000, 0);
	text_free(&source);
	definitions_add(code, untokenized, "y.py", 0);
	check("y", "y.py", 1, 0);
	check_ignores("y", "");
	definitions_add(Py_None, NULL, "none.py", 0);
	check("y", "y.py", 1, 0);
	Py_DecRef(code);
	Py_DecRef(untokenized);
}

int main(void)
{
	python_start(
		"import os\n"
		"a = b = c = text = y = x0 = x69999 = 0\n"
		"items = table = p = q = r = s = t = u = v = w = x = z = grown = m = n = o = l = g = i = j = k = alone = 0\n");
	check_ignores("a", "");
	test_cells();
	test_items();
	test_odd_sources();
	arena_free(&arena);
	return test_end();
}
