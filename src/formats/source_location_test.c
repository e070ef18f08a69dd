// SPDX-License-Identifier: MIT
/* Names of targets to files and lines. */
#include "base/test.h"
#include "formats/source_location.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "import x\n"
			     "a = 1\n"
			     "ab = a\n"
			     "a == 2\n"
			     "b: int = 3\n"
			     "c, d = 1, 2\n"
			     "    a = 5\n"
			     "def make(n):\n"
			     "    pass\n"
			     "class Box:\n"
			     "    a = 1\n"
			     "a\t= 6\n"
			     "é = 1";

static void check(struct source_location_finder *finder, const char *target, const char *file,
	const char *expression, int64_t line)
{
	struct source_location found = source_location_find(finder, target);

	CHECK(!strcmp(found.file ? found.file : "-", file ? file : "-"), "%s", target);
	CHECK(!strcmp(found.expression ? found.expression : "-", expression ? expression : "-"),
		"%s", target);
	CHECK(found.line == line, "%s: %d", target, (int)found.line);
}

int main(void)
{
	char directory[] = "/tmp/source_location_testXXXXXX";
	struct source_location_finder finder = { 0 };
	FILE *file;

	CHECK(mkdtemp(directory) && !chdir(directory), "%s", directory);
	file = fopen("m.py", "w");
	CHECK(file && fputs(source, file) >= 0 && !fclose(file), "m.py");
	check(&finder, "m.py:a", "m.py", "a", 12);
	check(&finder, "m.py:ab", "m.py", "ab", 3);
	check(&finder, "m.py:b[1:2].T", "m.py", "b[1:2].T", 5);
	check(&finder, "m.py:c", "m.py", "c", 6);
	check(&finder, "m.py:make(3)", "m.py", "make(3)", 8);
	check(&finder, "m.py:Box().a", "m.py", "Box().a", 10);
	check(&finder, "m.py:é", "m.py", "é", 13);
	check(&finder, "m.py:nowhere", "m.py", "nowhere", 0);
	check(&finder, "m.py:(a)", "m.py", "(a)", 0);
	check(&finder, "m.py", "m.py", NULL, 0);
	check(&finder, "gone.py:a", "gone.py", "a", 0);
	check(&finder, "a:b/m.py:a", "a:b/m.py", "a", 0);
	check(&finder, "x.npy", "x.npy", NULL, 0);
	check(&finder, "pkg.mod:a", NULL, NULL, 0);
	check(&finder, "a[1:2]", NULL, NULL, 0);
	check(&finder, "", NULL, NULL, 0);
	CHECK(!unlink("m.py") && !chdir("/") && !rmdir(directory), "%s", directory);
	source_location_finder_free(&finder);
	return test_end();
}
