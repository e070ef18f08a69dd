// SPDX-License-Identifier: MIT
/* Targets and tracebacks to files and lines. */
#include "base/test.h"
#include "formats/source_location.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;

static void check(struct source_locator *locator, struct fact_target target, const char *traceback,
	const char *path, const char *expression, int64_t line)
{
	const struct source_location found =
		source_location_of(locator, &arena, &target, traceback);

	CHECK(!strcmp(found.path ? found.path : "-", path ? path : "-"), "%s: %s", target.target,
		found.path ? found.path : "-");
	CHECK(!strcmp(found.expression ? found.expression : "-", expression ? expression : "-"),
		"%s", target.target);
	CHECK(found.line == line, "%s: %d", target.target, (int)found.line);
}

static struct fact_target target_at(const char *name, const char *file, int64_t line)
{
	return (struct fact_target){ .target = name,
		.source = { .present = true, .file = file, .line = fact_int(line) } };
}

/* In a repository whose root is the parent of the working directory. */
static void test_names(struct source_locator *locator)
{
	check(locator, target_at("m.py:a", "m.py", 3), NULL, "src/m.py", "a", 3);
	check(locator, target_at("pkg.mod:a", "./pkg/mod.py", 4), NULL, "src/pkg/mod.py", NULL, 4);
	check(locator, (struct fact_target){ .target = "m.py:b[1:2].T" }, NULL, "src/m.py",
		"b[1:2].T", 0);
	check(locator, (struct fact_target){ .target = "a:b/m.py:a" }, NULL, "src/a:b/m.py", "a",
		0);
	check(locator, (struct fact_target){ .target = "x.npy" }, NULL, "src/x.npy", NULL, 0);
	check(locator, (struct fact_target){ .target = "m.py" }, NULL, "src/m.py", NULL, 0);
	check(locator, (struct fact_target){ .target = "pkg.mod:a" }, NULL, NULL, NULL, 0);
	check(locator, (struct fact_target){ .target = "a[1:2]" }, NULL, NULL, NULL, 0);
	check(locator, (struct fact_target){ .target = "" }, NULL, NULL, NULL, 0);
	check(locator, target_at("/nowhere/m.py:a", "/nowhere/m.py", 1), NULL, "/nowhere/m.py", "a",
		1);
}

static void test_tracebacks(struct source_locator *locator)
{
	const struct fact_target target = target_at("m.py:a", "m.py", 3);

	check(locator, target,
		"Traceback (most recent call last):\n"
		"  File \"<expression>\", line 1, in <module>\n"
		"  File \"m.py\", line 7, in read\n    f()\n"
		"  File \"other.py\", line 9, in f\n    g()\n"
		"  File \"venv/lib/python3.12/site-packages/np.py\", line 11, in g\n"
		"  File \"/usr/lib/python3.12/abc.py\", line 12, in h\n"
		"ValueError: no\n",
		"src/other.py", "a", 9);
	check(locator, target,
		"Fatal Python error: Segmentation fault\n\n"
		"Thread 0x01 (most recent call first):\n"
		"  File \"other.py\", line 1 in wait\n\n"
		"Current thread 0x02 (most recent call first):\n"
		"  File \"/usr/lib/python3.12/ctypes.py\", line 5 in string_at\n"
		"  File \"m.py\", line 8 in read\n"
		"  File \"m.py\", line 20 in <module>\n\n"
		"Extension modules: x\n",
		"src/m.py", "a", 8);
	check(locator, target, "  File \"nb.ipynb#cell12\", line 4, in f\n", "src/nb.ipynb", "a",
		4);
	check(locator, target, "  File \"nb.ipynb#cell\", line 4, in f\n", "src/nb.ipynb#cell", "a",
		4);
	check(locator, target, "  File \"m.py\", line 2\n    a = (\nSyntaxError: x\n", "src/m.py",
		"a", 2);
	check(locator, target, "  File \"m.py\n  File \"<suai>\", line 3, in x\n", "src/m.py", "a",
		3);
	check(locator, target, "", "src/m.py", "a", 3);
}

int main(void)
{
	char directory[] = "/tmp/source_location_testXXXXXX";
	struct source_locator locator = { 0 };

	unsetenv("GITHUB_WORKSPACE");
	CHECK(mkdtemp(directory) && !chdir(directory) && !mkdir(".git", 0700) &&
			!mkdir("src", 0700) && !chdir("src"),
		"%s", directory);
	test_names(&locator);
	test_tracebacks(&locator);
	source_locator_free(&locator);
	setenv("GITHUB_WORKSPACE", "/", 1);
	check(&locator, target_at("/nowhere/m.py:a", "/nowhere/m.py", 1), NULL, "nowhere/m.py", "a",
		1);
	source_locator_free(&locator);
	CHECK(!chdir("..") && !rmdir("src") && !rmdir(".git") && !chdir("/") && !rmdir(directory),
		"%s", directory);
	arena_free(&arena);
	return test_end();
}
