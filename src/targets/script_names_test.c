// SPDX-License-Identifier: MIT
/* Module-level names of scripts: which statements bind one, and that any text is accepted. */
#include "targets/script_names.h"

#include "base/array_size.h"
#include "base/test.h"
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

static void check_names(const char *script, const char *expected)
{
	struct script_names names;
	struct text found = { 0 };

	script_names_find(&arena, script, strlen(script), &names);
	text_add(&found, "");
	for (size_t i = 0; i < names.n_items; i++)
		text_printf(&found, "%s%s", i ? " " : "", names.items[i]);
	CHECK(!strcmp(found.bytes, expected), "'%s' of %s", found.bytes, script);
	text_free(&found);
}

static void test_statements(void)
{
	check_names("", "");
	check_names("a = 1", "a");
	check_names("a = 1\nb=2\na = 3\n", "a b");
	check_names("a = b = c == d\n", "a b");
	check_names("a, (b, *c) = [d, e] = f(x=1)\n", "a b c d e");
	check_names("a: int = 1\nb: 'x = 1'\nc: dict[str, int] = {}\n", "a c");
	check_names("a += 1\na.b = 1\na[0] = 1\nf(a=1)\na == 1\n", "");
	check_names("a = 1; b = 2; c.d = 3; e = 4\n", "a b e");
	check_names(
		"def f(x=1, *, y: int = 2) -> int:\n    a = x\n\n  # c\n    b = 1\nc = 1\n", "f c");
	check_names("async def f():\n\ta = 1\nasync with x as y: b = 1\n", "f b");
	check_names("def f(): a = 1; b = 2\nc = 1\n", "f c");
	check_names(
		"class A:\n    a = 1\n    def f(self):\n        b = 1\n    c = 1\nd = A()\n", "d");
	check_names("if x:\n    a = 1\n    def f():\n        b = 1\n    c = 1\nelse: d = 1\n",
		"a f c d");
	check_names("try:\n  import a\nexcept (E, F):\n  a = None\nfinally: b = {1: 2}\n", "a b");
	check_names("for i in x: a = i\nwhile y[1:2]: b = 1\nwith p(q=1) as z:\n c = 1\n", "a b c");
	check_names("import a, b as c\nfrom m import d, e as f\nfrom .n import (g,\n  h as i,)\n"
		    "from o import *\n",
		"d f g i");
	check_names("@decorator(a=1)\ndef f():\n    pass\n", "f");
	check_names("match = 1\ncase = 2\n_ = 3\nprint = 4\n", "match case _ print");
	check_names("type A = int\ntype B[T] = list[T]\ntype = 1\n", "type");
	check_names("match x:\n  case [a, b]:\n    c = 1\n  case y if z:\n    d = 2\n", "c d");
	check_names(
		"return_ = 1\nelse_: int = 1\n3 = a\nlambda: x\nassert a == 1\n", "return_ else_");
}

static void test_tokens(void)
{
	check_names("'''\na = 1\n'''\nb = '''\nc = 1\n'''\n", "b");
	check_names("\"\"\"a\\\"\"\"\nb = 1\n\"\"\"\nc = rb'\\'' ; d = f\"x'\"\n", "c d");
	check_names("a = 'unterminated\nb = 1\n", "a b");
	check_names("a = \"\"\"unterminated\nb = 1\n", "a");
	check_names("a = (1,\nb = 2\n) # c = 3\nd = 1 # e = 1\n", "a d");
	check_names("a = \\\n  1\nb \\\n  = 2\n", "a b");
	check_names("\xef\xbb\xbf"
		    "a = 1\r\nb = 2\r\n",
		"a b");
	check_names("gr\xc3\xb6\xc3\x9f"
		    "e = 1\nbad\xff = 1\nodd\xe2\x80\xae = 1\n",
		"gr\xc3\xb6\xc3\x9f"
		"e");
	check_names(")]} = 1\na = 1\n", "a");
	check_names("if x:\n\ta = 1\n        b = 2\n", "a b");
}

/* Any bytes: within the limits, without an error of a sanitizer. */
static void test_any_text(void)
{
	static const char *const pieces[] = { "a", "=", "\n", "(", ")", "'", "\"\"\"", "\\", "def ",
		"class ", ":", "    ", "\t", "from ", " import ", ",", "#", ";", "\xc3", "if ",
		"async " };
	struct script_names names;
	uint32_t state = 1;

	for (int i = 0; i < 2000; i++) {
		struct text script = { 0 };

		text_add(&script, "");
		for (int k = 0; k < 60; k++) {
			state = state * 1664525 + 1013904223;
			if (state >> 28)
				text_add(&script, pieces[(state >> 8) % ARRAY_SIZE(pieces)]);
			else
				text_add_bytes(&script, &state, 1);
		}
		script_names_find(&arena, script.bytes, script.n_bytes, &names);
		CHECK(names.n_items <= 60, "%zu names", names.n_items);
		text_free(&script);
		arena_free(&arena);
	}
}

static void test_limits(void)
{
	struct script_names names;
	struct text script = { 0 };

	for (int i = 0; i < 3000; i++)
		text_printf(&script, "%sx%d", i ? ", " : "", i);
	text_add(&script, " = y\n");
	for (int i = 0; i < 3000; i++)
		text_printf(&script, "z%d = 1\n", i);
	for (int i = 0; i < 100000; i++)
		text_add(&script, "([{");
	script_names_find(&arena, script.bytes, script.n_bytes, &names);
	CHECK(names.n_items == 1000, "%zu names", names.n_items);
	text_free(&script);
}

int main(void)
{
	test_statements();
	test_tokens();
	test_any_text();
	test_limits();
	arena_free(&arena);
	return test_end();
}
