// SPDX-License-Identifier: MIT
/* What the text format is written with: a page that grows, its fields, colours and sizes. */
#ifndef FORMATS_TEXT_TEXT_PAGE_H
#define FORMATS_TEXT_TEXT_PAGE_H

#include "base/arena.h"
#include "base/text.h"
#include "facts/facts.h"

#include <stdbool.h>
#include <stdint.h>

enum page_style {
	STYLE_PLAIN,
	STYLE_STRONG,
	STYLE_DIM,
	STYLE_ERROR,
	STYLE_WARNING,
	STYLE_NOTE,
	STYLE_GOOD,
};

enum {
	PAGE_COLUMNS = 100,
	PAGE_LABEL_COLUMN = 4,
	PAGE_VALUE_COLUMN = 17,
	PAGE_ASKED = 3, /* options that ask for calls or trials */
};

struct page {
	struct text text;
	struct arena arena; /* of one target */
	bool color;
	int verbosity; /* -1: -q; 0; 1: -v */
	bool skips_fail;
	int64_t n_untried[PAGE_ASKED]; /* targets of which text_steps.c's options tried nothing */
};

/* Trusted text, in a style. */
void page_styled(struct page *page, enum page_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Text of others, in one line: control characters are escaped. Nothing where text is NULL. */
void page_foreign(struct page *page, enum page_style style, const char *text);

/* Text of others, its line breaks kept, each line after the first indented by column spaces. */
void page_lines(struct page *page, const char *text, int column);

/* The same in words: lines are broken before PAGE_COLUMNS. */
void page_wrapped(struct page *page, const char *text, int column);

void page_spaces(struct page *page, int n_spaces);

/* Begins a line "    label       ", ready for the value. */
void page_label(struct page *page, const char *label);

/* A whole line of a label and a value. */
void page_field(struct page *page, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A line of a label and texts of others with commas between; nothing where list has none. */
void page_list(struct page *page, const char *label, const struct fact_texts *list);

/* "48 bytes", "132.0 KiB (135168 bytes)"; "1 byte". Appends. */
void page_add_bytes(struct text *out, uint64_t n_bytes);

/* The style of a severity's name. */
enum page_style page_severity_style(enum severity severity);

/* The columns that n_bytes of UTF-8 take, a character each. */
size_t page_columns(const char *bytes, size_t n_bytes);

#endif
