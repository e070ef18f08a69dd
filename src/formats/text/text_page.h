// SPDX-License-Identifier: MIT
/* The output of the text format: a growing page with fields, colours and sizes. */
#ifndef FORMATS_TEXT_TEXT_PAGE_H
#define FORMATS_TEXT_TEXT_PAGE_H

#include "base/arena.h"
#include "base/text.h"
#include "facts/facts.h"
#include "formats/format.h"

#include <limits.h>
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
	STYLE_DIFFERS, /* unlike another interface, or less than a consumer may expect */
};

enum {
	PAGE_LABEL_COLUMN = 4,
	PAGE_VALUE_COLUMN = 17,
	PAGE_MESSAGE_BYTES = 2000, /* of the message of an exception, without -v */
	PAGE_UNBROKEN = INT_MAX,   /* columns */
	PAGE_ASKED = 3,            /* options that request calls or trials */
};

/* Zero-initialise, then page_begin. */
struct page {
	struct text text;
	struct arena arena; /* of one target */
	struct terminal terminal;
	int verbosity;  /* -1: -q; 0; 1: -v */
	bool has_hints; /* mentions what -v would add */
	bool skips_fail;
	enum severity fail_from;
	int64_t n_inapplicable; /* skipped rules that have nothing to check and do not fail */
	int64_t n_untried[PAGE_ASKED]; /* by option of text_steps.c: targets without a call or trial
					*/
};

/* Takes the options of the output. With -q, lines are not broken. */
void page_begin(struct page *page, const struct format_output *output);

/* Trusted text, in a style. */
void page_styled(struct page *page, enum page_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Untrusted text, in one line: control characters are escaped. Nothing if text is NULL. */
void page_foreign(struct page *page, enum page_style style, const char *text);

/* Untrusted text with its line breaks, the end of the last line excepted; all lines after the first
 * are indented by column spaces. Each but the last is wrapped. */
void page_lines(struct page *page, const char *text, int column);

/* page_lines() of the message of an exception, truncated unless -v is given. */
void page_message(struct page *page, const char *message, int column);

/* "TYPE: MESSAGE" of an exception, the type in a style, the message as page_message(); or the one
 * of the two that is not NULL. */
void page_exception(struct page *page, enum page_style style, const char *type, const char *message,
	int column);

/* page_lines() without wrapping, for tracebacks. */
void page_verbatim(struct page *page, const char *text, int column);

/* The id of a rule, as a link to its page where the terminal shows links. */
void page_rule(struct page *page, enum page_style style, const char *rule);

void page_spaces(struct page *page, int n_spaces);

/* The character n times. */
void page_repeated(struct page *page, enum page_style style, char character, size_t n);

/* Ends the line; if it is too long, breaks it at spaces and indents what follows by column. */
void page_end_line(struct page *page, int column);

/* Begins a line "    label       "; the value follows. */
void page_label(struct page *page, const char *label);
/* Begins such a line with the label in another style than page_label()'s STYLE_DIM. */
void page_label_styled(struct page *page, enum page_style style, const char *label);

/* Ends a line that began with a label. */
void page_end_field(struct page *page);

/* A line with a label and a value. */
void page_field(struct page *page, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A line with a label and untrusted texts separated by commas; nothing if the list is empty. */
void page_list(struct page *page, const char *label, const struct fact_texts *list);

/* "48 bytes", "132.0 KiB (135168 bytes)"; "1 byte". Appends. */
void page_add_bytes(struct text *out, uint64_t n_bytes);

/* The style in which a severity is printed. */
enum page_style page_severity_style(enum severity severity);

/* " (-v shows it)", of n things "them"; nothing if the page has no hints. */
void page_hint(struct page *page, int64_t n);

/* The number of columns of n_bytes of UTF-8, one per character. */
size_t page_columns(const char *bytes, size_t n_bytes);

#endif
