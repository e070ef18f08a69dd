// SPDX-License-Identifier: MIT
/* Messages, context, truncation, and the order of exit codes. */
#include "base/error.h"

#include "base/array_size.h"
#include "base/test.h"

#include <string.h>

static void test_messages(void)
{
	char longest[2 * sizeof(((struct err *)0)->message)];
	struct err err = { 0 };

	CHECK(err_set(&err, EXIT_TARGET, "cannot import '%s'", "a") == -1, "not -1");
	CHECK(err.code == EXIT_TARGET, "%d", err.code);
	CHECK(!strcmp(err.message, "cannot import 'a'"), "%s", err.message);
	CHECK(err_wrap(&err, "%s:%d", "a.py", 3) == -1, "not -1");
	CHECK(err.code == EXIT_TARGET, "%d", err.code);
	CHECK(!strcmp(err.message, "a.py:3: cannot import 'a'"), "%s", err.message);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	err_set(&err, EXIT_BUG, "%s", longest);
	CHECK(strlen(err.message) == sizeof(err.message) - 1, "%zu", strlen(err.message));
	CHECK(strstr(err.message, "x... (truncated)"), "%s", err.message);
	err_wrap(&err, "%s", longest);
	CHECK(strlen(err.message) == sizeof(err.message) - 1, "%zu", strlen(err.message));
	CHECK(strstr(err.message, "x... (truncated)"), "%s", err.message);
	longest[sizeof(err.message) - 1] = '\0';
	err_set(&err, EXIT_BUG, "%s", longest);
	CHECK(!strcmp(err.message, longest), "%s", err.message);
	err_wrap(&err, "a");
	CHECK(strstr(err.message, "x... (truncated)"), "%s", err.message);
}

static void test_suggestions(void)
{
	struct err err = { 0 };

	err_set(&err, EXIT_USAGE, "unknown key 'fo'");
	CHECK(err_suggest(&err, NULL, NULL) == -1, "not -1");
	CHECK(!strcmp(err.message, "unknown key 'fo'"), "%s", err.message);
	err_suggest(&err, NULL, "; expected %d", 3);
	CHECK(!strcmp(err.message, "unknown key 'fo'; expected 3"), "%s", err.message);
	err_suggest(&err, "foo", "; expected %d", 4);
	CHECK(!strcmp(err.message, "unknown key 'fo'; expected 3 (did you mean 'foo'?)"), "%s",
		err.message);
	CHECK(err.code == EXIT_USAGE, "%d", err.code);
	for (int i = 0; i < 100; i++)
		err_suggest(&err, "a long suggestion", NULL);
	CHECK(strlen(err.message) == sizeof(err.message) - 1, "%zu", strlen(err.message));
	CHECK(strstr(err.message, "... (truncated)"), "%s", err.message);
}

int main(void)
{
	static const enum exit_code worst_first[] = { EXIT_BUG, EXIT_USAGE, EXIT_TARGET,
		EXIT_UNAVAILABLE, EXIT_FINDINGS, EXIT_DONE };

	for (size_t i = 0; i < ARRAY_SIZE(worst_first); i++) {
		for (size_t j = i; j < ARRAY_SIZE(worst_first); j++) {
			enum exit_code a = worst_first[i], b = worst_first[j];

			CHECK(exit_code_worse(a, b) == a, "%d and %d", a, b);
			CHECK(exit_code_worse(b, a) == a, "%d and %d", b, a);
		}
	}
	test_messages();
	test_suggestions();
	return test_end();
}
