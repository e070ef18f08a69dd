// SPDX-License-Identifier: MIT
/*
 * Any bytes for the YAML reader, and each target of its result, or else the result itself, for the
 * reader of documents: the facts must survive being written as a document by the yaml writer and
 * read again. Text is printed, too. Built by clang -fsanitize=fuzzer,address,undefined with the
 * judge's files but main.c.
 */
#include "base/array_size.h"
#include "documents/document.h"
#include "formats/format.h"
#include "formats/yaml/yaml_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TARGETS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/* A target as a format writes it (free with free()). */
static char *format_bytes(const char *format_name, const char *command,
	const struct fact_target *target, size_t *n_bytes)
{
	const struct format *format = format_find(format_name);
	const struct fact_summary summary = { .present = true };
	const struct fact_head head = { .present = true };
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, n_bytes);
	struct format_output output = { .stream = stream, .command = command };
	struct err err = { .message = "" };

	if (format->begin(&output, &head, &err) || format->target(&output, target, &err) ||
		format->end(&output, &summary, &err)) {
		fprintf(stderr, "%s: %s\n", format_name, err.message);
		abort();
	}
	fclose(stream);
	return bytes;
}

static void check_target(struct arena *arena, struct fact_target *target)
{
	static const char *const outputs[][2] = { { "json", "inspect" }, { "text", "inspect" },
		{ "text", "convert" }, { "text", "validate" } };
	struct err err = { .message = "" };
	struct fact_target back;
	struct value *read;
	size_t n_bytes;
	char *yaml;

	document_derive(arena, target);
	yaml = format_bytes("yaml", "inspect", target, &n_bytes);
	read = yaml_read(arena, yaml, n_bytes, &err);
	if (!read || document_read(arena, value_item(value_get(read, "targets"), 0), &back, &err)) {
		fprintf(stderr, "%s\n%s\n", err.message, yaml);
		abort();
	}
	document_derive(arena, &back);
	if (!value_equal(document_write(arena, &back), document_write(arena, target))) {
		fprintf(stderr, "another document:\n%s\n", yaml);
		abort();
	}
	free(yaml);
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		free(format_bytes(outputs[i][0], outputs[i][1], target, &n_bytes));
}

static void read_target(struct arena *arena, const struct value *value)
{
	struct err err = { .message = "" };
	struct fact_target target;

	if (!document_read(arena, value, &target, &err))
		check_target(arena, &target);
	else if (!err.message[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };
	struct err err = { .message = "" };
	const struct value *value = yaml_read(&arena, (const char *)bytes, n_bytes, &err);
	const struct value *list = value ? value_get(value, "targets") : NULL;

	if (!value && !err.message[0])
		abort();
	if (list && value_is_sequence(list))
		for (size_t i = 0; i < list->n_items && i < MAX_TARGETS; i++)
			read_target(&arena, list->items[i]);
	else if (value)
		read_target(&arena, value);
	arena_free(&arena);
	return 0;
}
