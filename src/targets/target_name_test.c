// SPDX-License-Identifier: MIT
/* Names of targets relative to a directory: below it, beside it, above it, and itself. */
#include "targets/target_name.h"

#include "base/array_size.h"
#include "base/test.h"

#include <string.h>

static const struct {
	const char *name, *directory, *from, *relative;
} rows[] = {
	{ "/a/b/x.py:v", "/a/b/", "x.py:v", "x.py:v" },
	{ "/a/b/c/x.py:v", "/a/b/", "c/x.py:v", "c/x.py:v" },
	{ "/a/./b//c/../x.py", "/a/b/", "x.py", "x.py" },
	{ "/a/x.py:v", "/a/b/", "/a/x.py:v", "../x.py:v" },
	{ "/a/bc/x.py", "/a/b/", "/a/bc/x.py", "../bc/x.py" },
	{ "/x.py", "/a/b/", "/x.py", "../../x.py" },
	{ "/x.py", "/", "x.py", "x.py" },
	{ "/a/b", "/a/b/", "./", "./" },
	{ "/a/b/c/..", "/a/b/", "./", "./" },
	{ "/a/", "/a/b/", "/a", "../" },
	{ "/a/../..", "/a/b/", "/", "../../" },
	{ "/", "/", "./", "./" },
	{ "module:v", "/a/b/", "module:v", "module:v" },
};

int main(void)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *from = target_name_from(&arena, rows[i].name, rows[i].directory);
		const char *relative =
			target_name_relative(&arena, rows[i].name, rows[i].directory);

		CHECK(!strcmp(from, rows[i].from), "'%s' of '%s'", from, rows[i].name);
		CHECK(!strcmp(relative, rows[i].relative), "'%s' of '%s'", relative, rows[i].name);
	}
	arena_free(&arena);
	return test_end();
}
