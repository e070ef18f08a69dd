// SPDX-License-Identifier: MIT
#include "base/test.h"
#include "supervisor/stack.h"

#include <string.h>

static struct arena arena;

static void check(const char *stack, bool is_hung, const char *expected)
{
	const char *tidy = stack_tidy(&arena, stack, "/lib/s\xc3\xbc/bootstrap.py", is_hung);

	CHECK(!strcmp(tidy ? tidy : "-", expected), "%s", tidy ? tidy : "-");
}

int main(void)
{
	static const char stack[] = "Fatal Python error: Aborted\n\n"
				    "Thread 0x00007f01 [worker] (most recent call first):\n"
				    "  File \"/a.py\", line 1 in f\n\n"
				    "Current thread 0x00007f02 (most recent call first):\n"
				    "  File \"/a 0x1.py\", line 2 in g\n"
				    "  File \"/lib/s\xc3\xbc/bootstrap.py\", line 27 in start\n"
				    "  File \"/b.py\", line 3 in h\n\n"
				    "Extension modules: _suai (total: 1)\n";

	check(stack, false,
		"Fatal Python error: Aborted\n\n"
		"Thread [worker] (most recent call first):\n"
		"  File \"/a.py\", line 1 in f\n\n"
		"Current thread (most recent call first):\n"
		"  File \"/a 0x1.py\", line 2 in g\n"
		"  File \"<suai>\", line 27 in start\n");
	check(stack + strlen("Fatal Python error: Aborted\n\n") +
			strlen("Thread 0x00007f01 [worker] (most recent call first):\n"
			       "  File \"/a.py\", line 1 in f\n\n"),
		true,
		"Current thread (most recent call first):\n"
		"  File \"/a 0x1.py\", line 2 in g\n"
		"  File \"<suai>\", line 27 in start\n");
	check("Fatal Python error: Aborted\n\n", true, "-");
	check("Fatal Python error: x", false, "Fatal Python error: x\n");
	check("Current thread 0x1", false, "Current thread\n");
	check("  File \"/\\xfc/\\u20ac\\U0001f600.py\", line 1 in \\xe9\n"
	      "  File \"/lib/s\\xfc/bootstrap.py\", line 27 in start\n",
		false,
		"  File \"/\xc3\xbc/\xe2\x82\xac\xf0\x9f\x98\x80.py\", line 1 in \xc3\xa9\n"
		"  File \"<suai>\", line 27 in start\n");
	check("\\x0a \\x1b \\xf \\udcff \\U00110000 \\U0001f60 \\n \\", false,
		"\\x0a \\x1b \\xf \\udcff \\U00110000 \\U0001f60 \\n \\\n");
	check("\n\n", false, "-");
	check("", false, "-");
	check(NULL, true, "-");
	arena_free(&arena);
	return test_end();
}
