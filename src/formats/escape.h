// SPDX-License-Identifier: MIT
/*
 * Text that no document can hold as it is: surrogates, and bytes that are not UTF-8. They become
 * backslash escapes: \udc80 for a surrogate, \x80 for a byte.
 */
#ifndef FORMATS_ESCAPE_H
#define FORMATS_ESCAPE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum escape_mode {
	ESCAPE_INVALID,    /* what is not UTF-8; cannot be undone for sure */
	ESCAPE_REVERSIBLE, /* and doubles backslashes, so that escape_undo gives the text back */
	ESCAPE_TERMINAL,   /* what is not UTF-8, and control characters */
};

/* The length in bytes of the UTF-8 character at the start; 0 where there is none. */
size_t escape_utf8_length(const char *bytes, size_t n_bytes);

bool escape_is_utf8(const char *bytes, size_t n_bytes);

/* Appends text, escaped. */
void escape_text(struct text *out, const char *bytes, size_t n_bytes, enum escape_mode mode);

/* Appends bytes as ASCII: what is not printable becomes \xNN, backslashes are doubled. */
void escape_bytes(struct text *out, const char *bytes, size_t n_bytes);

/* Appends what ESCAPE_REVERSIBLE or escape_bytes made the text of; other backslashes stay. */
void escape_undo(struct text *out, const char *bytes, size_t n_bytes);

#endif
