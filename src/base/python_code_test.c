// SPDX-License-Identifier: MIT
/* Expressions and the names in them; and expressions of which an attribute is read. */
#include "base/python_code.h"

#include "base/array_size.h"
#include "base/test.h"
#include "base/text.h"

#include <string.h>

static const struct {
	const char *expression, *names;
} rows[] = {
	{ "", "" },
	{ "_", "_" },
	{ "np.from_dlpack(_)", "np _" },
	{ "x._ + _x + __", "x _x __" },
	{ "x . _", "x" },
	{ "f(_=1, axis = 2)", "f" },
	{ "a == _", "a _" },
	{ "1e5 + 0x_f + 2.e3 + 3.5j", "" },
	{ "f('_', \"it's np\", r'\\'_')", "f" },
	{ "f('''_'\n''', _)", "f _" },
	{ "f'_{_} {{np}} {a[0]:>{width}}' + b", "_ a width b" },
	{ "rb'_' + u'_' + Rf\"{d['k']}\" + _", "d _" },
	{ "'open _", "" },
	{ "f'{open", "open" },
	{ "gr\xc3\xb6\xc3\x9f"
	  "e(_\xc3\xb6)",
		"gr\xc3\xb6\xc3\x9f"
		"e _\xc3\xb6" },
	{ "[_ for _ in x]", "_ for _ in x" },
};

/* Of each, ".x" reads an attribute as it is; of the others, in parentheses. */
static const char *const primaries[] = { "a", "a.b[1](c + d)", "(a + b)", "[a, b][0]",
	"{'(': a}['(']", "f(')')", "_", "\xc3\xb6" };
static const char *const others[] = { "", "1", "1.5", "a + b", "not a", "-a", "'text'", "a 'b'",
	"f('(') + g(')')", "(a)(", "lambda: a", "*a" };

static void check_names(const char *expression, const char *expected)
{
	struct name_scan scan = { .at = expression };
	struct text found = { 0 };

	text_add(&found, "");
	while (name_scan_next(&scan)) {
		text_add(&found, found.n_bytes ? " " : "");
		text_add_bytes(&found, scan.name, scan.n_bytes);
	}
	CHECK(!strcmp(found.bytes, expected), "'%s': '%s'", expression, found.bytes);
	text_free(&found);
}

int main(void)
{
	struct arena arena = { 0 };
	const char *replaced;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_names(rows[i].expression, rows[i].names);
	CHECK(expression_count_name("f(_, _=_) + x._ + '_'", "_") == 2, "names _");
	replaced = expression_replace_name(&arena, "f(_, _=_) + x._ + '_'", "_", "a.b");
	CHECK(!strcmp(replaced, "f(a.b, _=a.b) + x._ + '_'"), "%s", replaced);
	for (size_t i = 0; i < ARRAY_SIZE(primaries); i++)
		CHECK(expression_as_primary(&arena, primaries[i]) == primaries[i], "%s",
			primaries[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK(*expression_as_primary(&arena, others[i]) == '(' &&
				strlen(expression_as_primary(&arena, others[i])) ==
					strlen(others[i]) + 2,
			"%s", others[i]);
	arena_free(&arena);
	return test_end();
}
