// SPDX-License-Identifier: MIT
/* `declared` and `types` of a document as Python would print them, with one field marked. */
#ifndef FORMATS_TEXT_TEXT_PYTHON_H
#define FORMATS_TEXT_TEXT_PYTHON_H

#include "base/text.h"
#include "model/value.h"

#include <stdbool.h>

struct python_text {
	struct text text;
	bool packed; /* as many items per line as fit; otherwise all in one line or one per line */
	bool bare_addresses; /* texts "0x…" are C's pointers, and are not quoted */
	bool whole;          /* long collections are not cut */
	const char *marked;  /* the path to look for, or NULL */
	bool found;
	size_t mark_start, mark_end; /* bytes of text that show the marked value with its key */
	/* set by text_python_write */
	const struct value *types;
	struct text path;
};

/*
 * Appends plain as a Python literal in at most n_columns columns where it can: what does not fit
 * is broken and indented from column. Addresses
 * (the first item of `data`) are hexadecimal.
 */
void text_python_write(struct python_text *out, const struct value *plain,
	const struct value *types, size_t column, size_t n_columns);

void text_python_free(struct python_text *out);

#endif
