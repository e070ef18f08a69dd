// SPDX-License-Identifier: MIT
/* A matrix as one HTML page: page.html with the document as JSON. */
#include "matrix/matrix_formats.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "formats/json/json_write.h"
#include "matrix/page.h"

#include <stdlib.h>
#include <string.h>

#define DOCUMENT_MARK "@DOCUMENT@"

/* Moves the value, of which the page has one copy, to the list, and leaves its index. */
static void share_value(struct arena *arena, struct value *shared, struct value *value)
{
	size_t i = 0;

	while (i < shared->n_items && !value_equal(shared->items[i], value))
		i++;
	if (i == shared->n_items)
		value_append(arena, shared, value_copy(arena, value));
	*value = *value_int(arena, (int64_t)i);
}

/* Replaces the lines of a text, or the items of a list, by a list of their indices. */
static void share_parts(struct arena *arena, struct value *lines, struct value *value)
{
	struct value *parts = value_list(arena);
	const char *text = value_text_or(value, NULL);

	for (size_t i = 0; value_is_sequence(value) && i < value->n_items; i++)
		value_append(arena, parts, value_copy(arena, value->items[i]));
	while (text && *text) {
		size_t n_bytes = strcspn(text, "\n");

		value_append(arena, parts, value_text(arena, arena_copy(arena, text, n_bytes)));
		text += n_bytes + (text[n_bytes] == '\n');
	}
	for (size_t i = 0; i < parts->n_items; i++)
		share_value(arena, lines, parts->items[i]);
	if (!value_is_null(value))
		*value = *parts;
}

/* The document with a list of the reasons, arrays and reproductions, of which results have the
 * indices, and one of the lines of reproductions and the names of arrays: many are the same, and
 * take three quarters of the document. */
static struct value *share_values(struct arena *arena, const struct value *document)
{
	static const char *const keys[] = { "reason", "arrays", "reproduction" };
	struct value *copy = value_copy(arena, document), *shared = value_list(arena);
	struct value *lines = value_list(arena);
	const struct value *cells = value_get(copy, "cells");

	for (size_t i = 0; i < cells->n_items; i++) {
		const struct value *results = value_get(cells->items[i], "results");

		for (size_t k = 0; k < results->n_items; k++)
			for (size_t key = 0; key < ARRAY_SIZE(keys); key++) {
				struct value *value = value_find(results->items[k], keys[key]);

				if (value && key > 0)
					share_parts(arena, lines, value);
				if (value)
					share_value(arena, shared, value);
			}
	}
	value_set(arena, copy, "shared", shared);
	value_set(arena, copy, "lines", lines);
	return copy;
}

/* The document, in which nothing ends the script element that contains it. */
static int add_json(struct text *out, const struct value *document, struct err *err)
{
	struct json_writer writer = { 0 };
	char *json = NULL;
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&json, &n_bytes);
	int status = stream ? json_write_value(&writer, stream, document, err) : -1;

	if (!stream || fclose(stream) || !json) /* fails only if out of memory */
		mem_fail();
	for (const char *c = json; !status && *c; c++)
		if (*c == '<')
			text_add(out, "\\u003c");
		else
			text_add_bytes(out, c, 1);
	json_writer_free(&writer);
	free(json);
	return status;
}

int matrix_write_html(
	const struct format_output *output, const struct value *document, struct err *err)
{
	const char *mark = strstr(matrix_page, DOCUMENT_MARK);
	struct arena arena = { 0 };
	struct text page = { 0 };
	int status;

	text_add_bytes(&page, matrix_page, (size_t)(mark - matrix_page));
	status = add_json(&page, share_values(&arena, document), err);
	text_add(&page, mark + strlen(DOCUMENT_MARK));
	if (!status)
		status = json_write_text(output->stream, page.bytes, err);
	text_free(&page);
	arena_free(&arena);
	return status;
}
