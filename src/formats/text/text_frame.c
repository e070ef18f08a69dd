// SPDX-License-Identifier: MIT
/* The declared value of an interface with the fields of findings marked, as compilers do. */
#include "base/memory.h"
#include "formats/text/text_parts.h"
#include "formats/text/text_python.h"
#include "protocols/protocol.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_COLUMN = 4, NEAR_LINES = 2, MAX_LINES = 10 };

struct column_mark {
	size_t width; /* of the mark; 0: none */
	enum severity severity;
};

struct frame {
	struct python_text python;
	const enum severity *severities; /* of the marks */
};

/* Whether field is a key of the dictionary's protocol, or in its value, and missing from it. */
static bool is_missing_key(const struct fact_interface *interface, const char *field)
{
	const struct value *declared = interface->declared;
	const char *const *key = protocol_of_interface(interface)->keys;

	for (; *key; key++)
		if (!strncmp(field, *key, strlen(*key)))
			return value_is(declared, VALUE_MAP) && !value_get(declared, *key);
	return false;
}

/* A missing key is marked at the closing brace. */
static void mark_missing_keys(struct python_text *python, const struct fact_interface *interface)
{
	const char *brace = strrchr(python->text.bytes, '}');

	for (size_t i = 0; brace && i < python->n_marks; i++) {
		struct python_mark *mark = &python->marks[i];

		if (mark->found || !is_missing_key(interface, mark->path))
			continue;
		mark->found = true;
		mark->start = (size_t)(brace - python->text.bytes);
		mark->end = mark->start + 1;
	}
}

static void print_bar(struct page *page)
{
	page_spaces(page, FRAME_COLUMN - 2);
	page_styled(page, STYLE_DIM, "|");
}

/* Adds a mark to the marks of the line [line, line + n_bytes). A narrower mark is shown within a
 * wider one; of two at the same place, the more severe one. */
static void paint_mark(struct column_mark *columns, const char *bytes, size_t line, size_t n_bytes,
	const struct python_mark *mark, enum severity severity)
{
	size_t stop = mark->end < line + n_bytes ? mark->end : line + n_bytes;
	size_t first = page_columns(bytes + line, mark->start - line);
	size_t n = page_columns(bytes + mark->start, stop - mark->start);

	for (size_t i = first; i < first + n; i++)
		if (!columns[i].width || n < columns[i].width ||
			(n == columns[i].width && severity > columns[i].severity))
			columns[i] = (struct column_mark){ .width = n, .severity = severity };
}

/* The line of marks under the line [line, line + n_bytes); nothing if no mark begins there. */
static void print_marks(struct page *page, const struct frame *frame, size_t line, size_t n_bytes)
{
	const struct python_text *python = &frame->python;
	const char *bytes = python->text.bytes;
	size_t n_columns = page_columns(bytes + line, n_bytes), n;
	struct column_mark *columns = mem_alloc((n_columns + 1) * sizeof(*columns));

	for (size_t i = 0; i < python->n_marks; i++) {
		const struct python_mark *mark = &python->marks[i];

		if (mark->found && mark->start >= line && mark->start < line + n_bytes)
			paint_mark(columns, bytes, line, n_bytes, mark, frame->severities[i]);
	}
	while (n_columns && !columns[n_columns - 1].width)
		n_columns--;
	if (n_columns) {
		print_bar(page);
		text_add(&page->text, " ");
	}
	for (size_t column = 0; column < n_columns; column += n) {
		for (n = 1; column + n < n_columns &&
			    columns[column + n].severity == columns[column].severity;)
			n++;
		if (columns[column].width)
			page_repeated(page, page_severity_style(columns[column].severity), '^', n);
		else
			page_spaces(page, (int)n);
	}
	text_add(&page->text, n_columns ? "\n" : "");
	free(columns);
}

static size_t count_newlines(const char *bytes, size_t n_bytes)
{
	size_t n_lines = 0;

	for (size_t i = 0; i < n_bytes; i++)
		n_lines += bytes[i] == '\n';
	return n_lines;
}

/* Omits lines far from all marks if there are many. */
static bool is_line_shown(const struct page *page, const struct python_text *python, size_t number)
{
	const char *bytes = python->text.bytes;
	bool any = false;

	if (page->verbosity > 0 || count_newlines(bytes, python->text.n_bytes) < MAX_LINES)
		return true;
	for (size_t i = 0; i < python->n_marks; i++) {
		size_t marked = count_newlines(bytes, python->marks[i].start);

		if (!python->marks[i].found)
			continue;
		any = true;
		if ((number < marked ? marked - number : number - marked) <= NEAR_LINES)
			return true;
	}
	return !any;
}

static void print_frame(struct page *page, const struct frame *frame)
{
	const struct text *text = &frame->python.text;
	size_t number = 0;
	bool was_shown = true;

	for (size_t line = 0, n_bytes; line <= text->n_bytes; line += n_bytes + 1) {
		bool shown = is_line_shown(page, &frame->python, number++);

		n_bytes = strcspn(text->bytes + line, "\n");
		if (shown || was_shown)
			print_bar(page);
		if (shown) {
			text_printf(&page->text, " %.*s\n", (int)n_bytes, text->bytes + line);
			print_marks(page, frame, line, n_bytes);
		} else if (was_shown) {
			page_styled(page, STYLE_DIM, " ...\n");
		}
		was_shown = shown;
	}
}

/* A struct is long and mostly addresses: one line for each field that a finding names, unless its
 * message has the value. */
static void print_struct_fields(struct page *page, const struct value *declared,
	const struct fact_finding *const *findings, size_t n_findings)
{
	const char *shown = "";

	for (size_t i = 0; i < n_findings; i++) {
		struct python_text python = { .packed = true, .bare_addresses = true };
		const char *field = findings[i]->field;
		const char *path =
			field ? arena_copy(&page->arena, field, strcspn(field, "[")) : "";
		const struct value *part = value_at(declared, path);
		size_t column = FRAME_COLUMN + strlen(path) + 2;

		if (!*path || !part || value_is(part, VALUE_MAP) || !strcmp(path, shown))
			continue;
		shown = path;
		text_python_write(&python, part, column, (size_t)page->terminal.columns);
		if (!strstr(findings[i]->message, python.text.bytes)) {
			print_bar(page);
			text_add(&page->text, " ");
			page_foreign(page, STYLE_PLAIN, path);
			text_printf(&page->text, ": %s\n", python.text.bytes);
		}
		text_python_free(&python);
	}
}

void text_frame(struct page *page, const struct fact_interface *interface,
	const struct fact_finding *const *findings, size_t n_findings)
{
	bool is_dictionary = text_is_dictionary(interface), found = false;
	struct python_mark *marks = mem_alloc(n_findings * sizeof(*marks));
	enum severity *severities = mem_alloc(n_findings * sizeof(*severities));
	struct frame frame = { .python = { .packed = is_dictionary,
				       .bare_addresses = !is_dictionary,
				       .marks = marks,
				       .n_marks = n_findings },
		.severities = severities };
	const struct value *declared;

	if (value_is_null(interface->declared))
		goto out;
	for (size_t i = 0; i < n_findings; i++) {
		marks[i].path = fact_text_or(findings[i]->field, "");
		severities[i] = findings[i]->severity;
	}
	declared = text_python_declared(&page->arena, interface->declared, "object");
	if (!is_dictionary && page->verbosity <= 0) {
		print_struct_fields(page, declared, findings, n_findings);
		goto out;
	}
	text_python_write(
		&frame.python, declared, 0, (size_t)page->terminal.columns - FRAME_COLUMN);
	if (is_dictionary)
		mark_missing_keys(&frame.python, interface);
	for (size_t i = 0; i < n_findings; i++)
		found |= marks[i].found;
	/* Otherwise it is left over from a failed call. */
	if (found || page->verbosity > 0 || interface->status == INTERFACE_OK)
		print_frame(page, &frame);
out:
	text_python_free(&frame.python);
	free(marks);
	free(severities);
}
