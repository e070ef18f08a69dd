// SPDX-License-Identifier: MIT
/* Pages: styles as ANSI colours, labels in a column, human-readable sizes. */
#include "formats/text/text_page.h"
#include "base/byte_size.h"

#include "base/plural.h"
#include "base/utf8.h"
#include "model/escape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const styles[] = {
	[STYLE_PLAIN] = "",
	[STYLE_STRONG] = "\033[1m",
	[STYLE_DIM] = "\033[2m",
	[STYLE_ERROR] = "\033[1;31m",
	[STYLE_WARNING] = "\033[1;33m",
	[STYLE_NOTE] = "\033[1;36m",
	[STYLE_GOOD] = "\033[32m",
	[STYLE_DIFFERS] = "\033[33m",
};

/* The address of the page of a rule, without its id. `man:` is what systemctl links to; packagers
 * can set another one. */
#ifndef SUAI_RULE_URL
#define SUAI_RULE_URL "man:suai-rules(7)#"
#endif

void page_begin(struct page *page, const struct format_output *output)
{
	page->terminal = output->terminal;
	if (!page->terminal.columns)
		page->terminal.columns = TERMINAL_FALLBACK_COLUMNS;
	if (output->verbosity < 0)
		page->terminal.columns = PAGE_UNBROKEN;
	page->verbosity = output->verbosity;
	page->has_hints = output->verbosity <= 0 && !output->no_hints;
	page->skips_fail = output->skips_fail;
	page->fail_from = output->fail_from;
}

static void style_on(struct page *page, enum page_style style)
{
	if (page->terminal.color && style != STYLE_PLAIN)
		text_add(&page->text, styles[style]);
}

static void style_off(struct page *page, enum page_style style)
{
	if (page->terminal.color && style != STYLE_PLAIN)
		text_add(&page->text, "\033[0m");
}

void page_styled(struct page *page, enum page_style style, const char *format, ...)
{
	va_list args;

	style_on(page, style);
	va_start(args, format);
	text_vprintf(&page->text, format, args);
	va_end(args);
	style_off(page, style);
}

void page_foreign(struct page *page, enum page_style style, const char *text)
{
	if (!text)
		return;
	style_on(page, style);
	escape_text(&page->text, text, strlen(text), ESCAPE_TERMINAL);
	style_off(page, style);
}

static void add_lines(struct page *page, const char *text, int column, bool wraps)
{
	size_t n_bytes;

	if (!text)
		return;
	n_bytes = strlen(text);
	while (n_bytes && text[n_bytes - 1] == '\n')
		n_bytes--;
	for (const char *line = text, *end = text + n_bytes, *stop; line <= end; line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop : end;
		if (line > text && wraps)
			page_end_line(page, column);
		else if (line > text)
			text_add(&page->text, "\n");
		if (line > text)
			page_spaces(page, column);
		escape_text(&page->text, line, (size_t)(stop - line), ESCAPE_TERMINAL);
	}
}

void page_lines(struct page *page, const char *text, int column)
{
	add_lines(page, text, column, true);
}

void page_message(struct page *page, const char *message, int column)
{
	struct text shown = { 0 };

	if (!message)
		return;
	text_add_truncated(&shown, message, strlen(message),
		page->verbosity > 0 ? SIZE_MAX : PAGE_MESSAGE_BYTES);
	page_lines(page, shown.bytes, column);
	text_free(&shown);
}

void page_verbatim(struct page *page, const char *text, int column)
{
	add_lines(page, text, column, false);
}

void page_exception(
	struct page *page, enum page_style style, const char *type, const char *message, int column)
{
	page_foreign(page, style, type);
	text_add(&page->text, type && message && *message ? ": " : "");
	page_message(page, message, column);
}

void page_rule(struct page *page, enum page_style style, const char *rule)
{
	if (page->terminal.links)
		text_printf(&page->text, "\033]8;;" SUAI_RULE_URL "%s\033\\", rule);
	page_foreign(page, style, rule);
	if (page->terminal.links)
		text_add(&page->text, "\033]8;;\033\\");
}

/* The length of the control sequence at the start, which has no width: SGR or OSC; 0: none. */
static size_t control_length(const char *bytes)
{
	const char *end = NULL;

	if (bytes[0] == '\033' && bytes[1] == '[')
		return strcspn(bytes, "m") + 1;
	if (bytes[0] == '\033' && bytes[1] == ']')
		end = strstr(bytes, "\033\\");
	return end ? (size_t)(end - bytes) + 2 : 0;
}

/* Spaces at which a line can be broken, from the least to the most welcome: any; outside of
 * brackets; after a comma outside of brackets, in the value of a field. */
enum { BREAK_ANY, BREAK_OUTSIDE, BREAK_COMMA, N_BREAKS };

/* In percent of the columns that a break must fill. */
static const size_t break_fill[N_BREAKS] = { 0, 50, 65 };

/* Whether the words around a space belong together: "after 2 s", "2 MiB", "expected 2". */
static bool is_unbreakable(const char *line, const char *space)
{
	static const char expected[] = "expected";
	size_t n_before = (size_t)(space - line), n_word = sizeof(expected) - 1;

	if (!n_before)
		return false;
	if (space[1] >= '0' && space[1] <= '9')
		return n_before >= n_word && !memcmp(space - n_word, expected, n_word);
	if (space[-1] < '0' || space[-1] > '9')
		return false;
	return (space[1] >= 'A' && space[1] <= 'Z') ||
	       (space[1] == 's' && (!space[2] || strchr(" ,.:;)", space[2])));
}

/*
 * The space at which a line that begins at column `first` is broken, so that what precedes it fits;
 * NULL if it fits or has no space after `column`.
 */
static const char *find_break(
	const char *line, size_t first, size_t column, size_t n_columns, bool is_field)
{
	const char *found[N_BREAKS] = { NULL };
	size_t here = first, n_control;
	int depth = 0;

	for (const char *at = line; *at; at++) {
		while ((n_control = control_length(at)))
			at += n_control;
		if (!*at)
			break;
		for (int i = 0; i < N_BREAKS && *at == ' ' && here > column && at[1] != ' ' &&
				!is_unbreakable(line, at);
			i++)
			if ((i == BREAK_ANY || depth <= 0) &&
				(i < BREAK_COMMA || (is_field && at[-1] == ',')) &&
				here - column >= (n_columns - column) * break_fill[i] / 100)
				found[i] = at;
		depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
		here += !utf8_continues(*at);
		if (here > n_columns && found[BREAK_ANY])
			return found[BREAK_COMMA]     ? found[BREAK_COMMA]
			       : found[BREAK_OUTSIDE] ? found[BREAK_OUTSIDE]
						      : found[BREAK_ANY];
	}
	return NULL;
}

/* Without the spaces at the end. */
static void add_trimmed(struct text *text, const char *line, size_t n_bytes)
{
	while (n_bytes && line[n_bytes - 1] == ' ')
		n_bytes--;
	text_add_bytes(text, line, n_bytes);
}

static void wrap_line(struct page *page, int column, bool is_field)
{
	struct text *text = &page->text;
	const char *newline = text->n_bytes ? memrchr(text->bytes, '\n', text->n_bytes) : NULL;
	size_t start = newline ? (size_t)(newline - text->bytes) + 1 : 0, first = 0;
	struct text rest = { 0 };
	const char *line, *stop;

	text_add_bytes(&rest, text->n_bytes ? text->bytes + start : "", text->n_bytes - start);
	text_truncate(text, start);
	for (line = rest.bytes; (stop = find_break(line, first, (size_t)column,
					 (size_t)page->terminal.columns, is_field));
		line = stop + 1, first = (size_t)column) {
		add_trimmed(text, line, (size_t)(stop - line));
		text_add(text, "\n");
		page_spaces(page, column);
	}
	add_trimmed(text, line, strlen(line));
	text_add(text, "\n");
	text_free(&rest);
}

void page_end_line(struct page *page, int column)
{
	wrap_line(page, column, false);
}

void page_spaces(struct page *page, int n_spaces)
{
	if (n_spaces > 0)
		text_printf(&page->text, "%*s", n_spaces, "");
}

void page_repeated(struct page *page, enum page_style style, char character, size_t n)
{
	style_on(page, style);
	for (size_t i = 0; i < n; i++)
		text_add_bytes(&page->text, &character, 1);
	style_off(page, style);
}

void page_label_styled(struct page *page, enum page_style style, const char *label)
{
	size_t start;

	page_spaces(page, PAGE_LABEL_COLUMN);
	style_on(page, style);
	start = page->text.n_bytes;
	escape_text(&page->text, label, strlen(label), ESCAPE_TERMINAL);
	page_spaces(page,
		PAGE_VALUE_COLUMN - PAGE_LABEL_COLUMN - 1 -
			(int)page_columns(page->text.bytes + start, page->text.n_bytes - start));
	style_off(page, style);
	text_add(&page->text, " ");
}

void page_label(struct page *page, const char *label)
{
	page_label_styled(page, STYLE_DIM, label);
}

void page_end_field(struct page *page)
{
	wrap_line(page, PAGE_VALUE_COLUMN, true);
}

void page_field(struct page *page, const char *label, const char *format, ...)
{
	va_list args;

	page_label(page, label);
	va_start(args, format);
	text_vprintf(&page->text, format, args);
	va_end(args);
	page_end_field(page);
}

void page_list(struct page *page, const char *label, const struct fact_texts *list)
{
	if (!list->n_items)
		return;
	page_label(page, label);
	for (size_t i = 0; i < list->n_items; i++) {
		text_add(&page->text, i ? ", " : "");
		page_foreign(page, STYLE_PLAIN, list->items[i]);
	}
	page_end_field(page);
}

void page_add_bytes(struct text *out, uint64_t n_bytes)
{
	double size;
	const char *unit = byte_size_scale(n_bytes, &size);

	if (n_bytes < 1024) {
		text_printf(out, "%" PRIu64 " byte%s", n_bytes, plural(n_bytes));
		return;
	}
	text_printf(out, "%.*f %s (%" PRIu64 " bytes)",
		size < 10    ? 2
		: size < 100 ? 1
			     : 0,
		size, unit, n_bytes);
}

enum page_style page_severity_style(enum severity severity)
{
	return severity == SEVERITY_ERROR     ? STYLE_ERROR
	       : severity == SEVERITY_WARNING ? STYLE_WARNING
					      : STYLE_NOTE;
}

size_t page_columns(const char *bytes, size_t n_bytes)
{
	size_t n_columns = 0;

	for (size_t i = 0; i < n_bytes; i++)
		n_columns += !utf8_continues(bytes[i]);
	return n_columns;
}

void page_hint(struct page *page, int64_t n)
{
	if (page->has_hints)
		text_printf(&page->text, " (-v shows %s)", n == 1 ? "it" : "them");
}
