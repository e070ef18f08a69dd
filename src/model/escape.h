// SPDX-License-Identifier: MIT
/*
 * Text that no document can hold as it is: surrogates, and bytes that are not UTF-8. They become
 * backslash escapes: \udc80 for a surrogate, \x80 for a byte. And text that a document can hold and
 * a terminal must not see: \x1b, \u009b, \u202e, \U000e0041.
 */
#ifndef MODEL_ESCAPE_H
#define MODEL_ESCAPE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum escape_mode {
	ESCAPE_INVALID,    /* what is not UTF-8; cannot be undone for sure */
	ESCAPE_REVERSIBLE, /* and doubles backslashes, so that escape_undo gives the text back */
	ESCAPE_TERMINAL,   /* what is not UTF-8, and unsafe characters */
};

/* The length in bytes of the UTF-8 character at the start; 0 where there is none. */
size_t escape_utf8_length(const char *bytes, size_t n_bytes);

/*
 * Whether the character changes how a terminal or a viewer shows other text: control characters
 * (C0, DEL, C1), line and paragraph separators, bidirectional controls (Unicode TR 9, Trojan
 * Source) and what has no glyph (Default_Ignorable_Code_Point but for variation selectors and
 * letters).
 */
bool escape_is_unsafe(const char *bytes, size_t length);

/* Appends an unsafe character escaped. */
void escape_unsafe(struct text *out, const char *bytes, size_t length);

bool escape_is_utf8(const char *bytes, size_t n_bytes);

/* Appends text, escaped. */
void escape_text(struct text *out, const char *bytes, size_t n_bytes, enum escape_mode mode);

enum escape_syntax { ESCAPE_JSON, ESCAPE_YAML };

/* Appends a JSON document, or YAML whose strings are double-quoted, with unsafe characters other
 * than C0 written as its strings have them: the document says the same. */
void escape_document(
	struct text *out, const char *bytes, size_t n_bytes, enum escape_syntax syntax);

/* Appends bytes as ASCII: what is not printable becomes \xNN, backslashes are doubled. */
void escape_bytes(struct text *out, const char *bytes, size_t n_bytes);

/* Prints text escaped by ESCAPE_TERMINAL. */
void escape_print(FILE *stream, const char *text);

/* Appends what ESCAPE_REVERSIBLE or escape_bytes made the text of; other backslashes stay. */
void escape_undo(struct text *out, const char *bytes, size_t n_bytes);

#endif
