// SPDX-License-Identifier: MIT
/* Comments of many files: how often texts are compared to find one among them. */
#include "findings/source_ignores.h"

#include "base/test.h"

#include <stdio.h>
#include <string.h>

static size_t n_comparisons;

/* In place of the C library's. */
int strcmp(const char *a, const char *b)
{
	n_comparisons++;
	for (; *a && *a == *b; a++)
		b++;
	return (unsigned char)*a - (unsigned char)*b;
}

/* Adds one comment on line 1 of each of many files. Returns the comparisons. */
static size_t add_comments(size_t n_files)
{
	const char *const rules[] = { "TRC801" };
	struct fact_ignore comment = { .line = { .known = true, .value = 1 },
		.rules = { .known = true, .items = (const char **)rules, .n_items = 1 } };
	const struct fact_ignore_list list = { .known = true, .items = &comment, .n_items = 1 };
	struct source_ignores ignores = { .of_call_sites = true };

	n_comparisons = 0;
	for (size_t i = 0; i < n_files; i++) {
		char file[32];

		snprintf(file, sizeof(file), "file%zu.py", i);
		source_ignores_take_module(&ignores, file, &list);
	}
	CHECK(ignores.n_items == n_files, "%zu", ignores.n_items);
	for (size_t i = 0; i < n_files; i++) {
		char file[32];

		snprintf(file, sizeof(file), "file%zu.py", i);
		source_ignores_take_module(&ignores, file, &list);
	}
	CHECK(ignores.n_items == n_files, "%zu", ignores.n_items);
	source_ignores_free(&ignores);
	return n_comparisons;
}

int main(void)
{
	const size_t n_few = add_comments(500), n_many = add_comments(4000);

	CHECK(n_many < 16 * n_few, "%zu and %zu comparisons", n_few, n_many);
	return test_end();
}
