// SPDX-License-Identifier: MIT
/*
 * Backslash escapes for text that documents cannot contain (surrogates and bytes that are not
 * UTF-8: \udc80 for a surrogate, \x80 for a byte), and for characters that must not be sent to a
 * terminal: \x1b, \u009b, \u202e, \U000e0041.
 */
#ifndef MODEL_ESCAPE_H
#define MODEL_ESCAPE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum escape_mode {
	ESCAPE_INVALID,    /* invalid UTF-8; not always reversible */
	ESCAPE_REVERSIBLE, /* also doubles backslashes, so that escape_undo restores the text */
	ESCAPE_TERMINAL,   /* invalid UTF-8, and unsafe characters */
	ESCAPE_FIELD, /* as ESCAPE_TERMINAL, and doubles backslashes: no two texts become one */
};

/* The length in bytes of the UTF-8 character at the start; 0 if there is none. */
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
 * than C0 written as escapes of its strings: the document's meaning stays the same. */
void escape_document(
	struct text *out, const char *bytes, size_t n_bytes, enum escape_syntax syntax);

/* Appends bytes as ASCII: those that are not printable become \xNN, backslashes are doubled. */
void escape_bytes(struct text *out, const char *bytes, size_t n_bytes);

/* Prints text escaped by ESCAPE_TERMINAL. */
void escape_print(FILE *stream, const char *text);

/* Reads n_digits hex digits, at most 8, in lower case; -1: they are not there. */
int64_t escape_read_hex(const char *bytes, size_t n_bytes, size_t n_digits);

/* Appends the text from which ESCAPE_REVERSIBLE or escape_bytes made this one; other backslashes
 * stay. */
void escape_undo(struct text *out, const char *bytes, size_t n_bytes);

#endif
