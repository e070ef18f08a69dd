// SPDX-License-Identifier: MIT
/* Any text as a Python script, which is read without Python: the names that it defines are
 * identifiers, each once, and the comments that ignore rules are on lines of the text. Its first
 * line is also a TARGET, and a consumer. */
#include "base/identifier.h"
#include "base/python_code.h"
#include "fuzz/edits.h"
#include "targets/call_text.h"
#include "targets/file_ignores.h"
#include "targets/script_names.h"
#include "targets/target_name.h"
#include "targets/targets.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void check_names(struct arena *arena, const char *text, size_t n_bytes)
{
	struct script_names names = { 0 };

	script_names_find(arena, text, n_bytes, &names);
	if (names.n_items > MAX_NAMES)
		abort();
	for (size_t i = 0; i < names.n_items; i++) {
		if (!is_identifier(names.items[i]))
			abort();
		for (size_t k = 0; k < i; k++)
			if (!strcmp(names.items[i], names.items[k]))
				abort();
	}
}

static void check_comments(struct arena *arena, const char *text, size_t n_bytes)
{
	struct fact_ignore_list comments = { .known = true };
	int64_t n_lines = 1;

	for (size_t i = 0; i < n_bytes; i++)
		n_lines += text[i] == '\n' || text[i] == '\r';
	file_ignores_read(arena, fuzz_file(text, n_bytes), &comments);
	for (size_t i = 0; i < comments.n_items; i++) {
		const struct fact_ignore *comment = &comments.items[i];

		if (comment->line.value < 1 || comment->line.value > n_lines)
			abort();
		if (!comment->error && !comment->rules.n_items)
			abort();
	}
}

static void check_expression(struct arena *arena, const char *expression)
{
	size_t n_objects = expression_count_name(expression, "_");
	const char *replaced = expression_replace_name(arena, expression, "_", "ab");

	if (strlen(replaced) != strlen(expression) + n_objects)
		abort();
	expression_as_primary(arena, expression);
}

static void check_words(struct arena *arena, const char *text, size_t n_bytes)
{
	const char *word = arena_copy(arena, text, strcspn(text, "\n"));
	const char *name, *expression;
	const char *const items[] = { word };
	const struct option_list operands = { .items = (const char **)items, .n_items = 1 },
				 none = { 0 };
	const struct target_words words = {
		.operands = &operands, .files = &none, .arguments = &none
	};
	struct source_list sources = { 0 };
	struct err err = { .message = "" };
	struct job_call call;

	(void)n_bytes;
	check_expression(arena, word);
	target_split(arena, word, &name, &expression);
	if (strlen(name) > strlen(word) || (expression && strlen(expression) > strlen(word)))
		abort();
	target_name_from(arena, word, "/a/b/");
	target_name_relative(arena, word, "/a/b/");
	if (targets_parse(arena, &words, &sources, &err) && !err.message[0])
		abort();
	targets_count(&sources);
	err.message[0] = '\0';
	if (call_text_parse(arena, "--call", word, &call, &err) && !err.message[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };
	const char *text = arena_copy(&arena, bytes, n_bytes);

	check_names(&arena, text, n_bytes);
	check_comments(&arena, text, n_bytes);
	check_words(&arena, text, n_bytes);
	arena_free(&arena);
	return 0;
}
