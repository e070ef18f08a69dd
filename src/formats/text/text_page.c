// SPDX-License-Identifier: MIT
/* Pages: styles as ANSI colours, labels in a column, human-readable sizes. */
#include "formats/text/text_page.h"

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
};

static void style_on(struct page *page, enum page_style style)
{
	if (page->color && style != STYLE_PLAIN)
		text_add(&page->text, styles[style]);
}

static void style_off(struct page *page, enum page_style style)
{
	if (page->color && style != STYLE_PLAIN)
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

void page_lines(struct page *page, const char *text, int column)
{
	size_t n_bytes = text ? strlen(text) : 0;

	while (n_bytes && text[n_bytes - 1] == '\n')
		n_bytes--;
	for (const char *line = text, *end = text + n_bytes, *stop; text && line <= end;
		line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop : end;
		if (line > text) {
			text_add(&page->text, "\n");
			page_spaces(page, column);
		}
		escape_text(&page->text, line, (size_t)(stop - line), ESCAPE_TERMINAL);
	}
}

void page_wrapped(struct page *page, const char *text, int column)
{
	size_t here = (size_t)column, n_bytes, n_columns;

	for (const char *word = text; word && *word; word += n_bytes) {
		bool is_first = word == text;

		word += strspn(word, " \n");
		n_bytes = strcspn(word, " \n");
		n_columns = page_columns(word, n_bytes);
		if (!is_first && here + 1 + n_columns > PAGE_COLUMNS) {
			text_add(&page->text, "\n");
			page_spaces(page, column);
			here = (size_t)column;
		} else if (!is_first) {
			text_add(&page->text, " ");
			here++;
		}
		escape_text(&page->text, word, n_bytes, ESCAPE_TERMINAL);
		here += n_columns;
	}
}

void page_spaces(struct page *page, int n_spaces)
{
	if (n_spaces > 0)
		text_printf(&page->text, "%*s", n_spaces, "");
}

void page_label(struct page *page, const char *label)
{
	size_t start;

	page_spaces(page, PAGE_LABEL_COLUMN);
	style_on(page, STYLE_DIM);
	start = page->text.n_bytes;
	escape_text(&page->text, label, strlen(label), ESCAPE_TERMINAL);
	page_spaces(page,
		PAGE_VALUE_COLUMN - PAGE_LABEL_COLUMN - 1 -
			(int)page_columns(page->text.bytes + start, page->text.n_bytes - start));
	style_off(page, STYLE_DIM);
	text_add(&page->text, " ");
}

void page_field(struct page *page, const char *label, const char *format, ...)
{
	va_list args;

	page_label(page, label);
	va_start(args, format);
	text_vprintf(&page->text, format, args);
	va_end(args);
	text_add(&page->text, "\n");
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
	text_add(&page->text, "\n");
}

void page_add_bytes(struct text *out, uint64_t n_bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double size = (double)n_bytes / 1024;
	size_t unit = 0;

	if (n_bytes < 1024) {
		text_printf(out, "%" PRIu64 " byte%s", n_bytes, n_bytes == 1 ? "" : "s");
		return;
	}
	for (; size >= 1024 && unit + 1 < sizeof(units) / sizeof(*units); unit++)
		size /= 1024;
	text_printf(out, "%.*f %s (%" PRIu64 " bytes)",
		size < 10    ? 2
		: size < 100 ? 1
			     : 0,
		size, units[unit], n_bytes);
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
		n_columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	return n_columns;
}
