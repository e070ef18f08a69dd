// SPDX-License-Identifier: MIT
/*
 * Any bytes for the YAML reader, and its result for the reader of documents: the facts must survive
 * being written as a document by the yaml writer and read again. Text is printed, too. Built by
 * clang -fsanitize=fuzzer,address,undefined with the judge's files but main.c.
 */
#include "documents/document.h"
#include "formats/format.h"
#include "formats/yaml/yaml_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/* A document's target as a format writes it (free with free()). */
static char *write_document(
	const char *format_name, const char *command, const struct value *document, size_t *n_bytes)
{
	const struct format *format = format_find(format_name);
	struct arena arena = { 0 };
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, n_bytes);
	struct output output = { .stream = stream, .command = command };
	struct err err = { .message = "" };

	if (format->begin(&output, value_map(&arena), &err) ||
		format->target(&output, document, &err) ||
		format->end(&output, value_map(&arena), &err)) {
		fprintf(stderr, "%s: %s\n", format_name, err.message);
		abort();
	}
	fclose(stream);
	arena_free(&arena);
	return bytes;
}

static void check_facts(struct arena *arena, const struct value *facts)
{
	struct err err = { .message = "" };
	struct value *document = document_from_facts(arena, facts), *read, *back;
	size_t n_bytes;
	char *yaml = write_document("yaml", "inspect", document, &n_bytes);

	read = yaml_read(arena, yaml, n_bytes, &err);
	back = read ? document_to_facts(arena, value_item(value_get(read, "targets"), 0), &err)
		    : NULL;
	if (!back || !value_equal(document_from_facts(arena, back), document)) {
		fprintf(stderr, "%s\n%s\n", err.message, yaml);
		abort();
	}
	free(yaml);
	free(write_document("json", "inspect", document, &n_bytes));
	free(write_document("text", "inspect", document, &n_bytes));
	free(write_document("text", "convert", document, &n_bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };
	struct err err = { .message = "" };
	struct value *value = yaml_read(&arena, (const char *)bytes, n_bytes, &err);
	struct value *facts = value ? document_to_facts(&arena, value, &err) : NULL;
	size_t n_written;

	if ((!value || !facts) && !err.message[0])
		abort();
	if (facts)
		check_facts(&arena, facts);
	if (facts)
		free(write_document("text", "validate", value, &n_written));
	arena_free(&arena);
	return 0;
}
