// SPDX-License-Identifier: MIT
/* Facts as Python would print them, with fields marked. */
#ifndef FORMATS_TEXT_TEXT_PYTHON_H
#define FORMATS_TEXT_TEXT_PYTHON_H

#include "base/text.h"
#include "model/value.h"

#include <stdbool.h>

/* Where the value at a path was written. */
struct python_mark {
	const char *path;
	bool found;
	size_t start, end; /* bytes of text that show the value with its key */
};

struct python_text {
	struct text text;
	bool packed; /* as many items per line as fit; otherwise all in one line or one per line */
	bool bare_addresses; /* text "0x…" is a C pointer and not quoted */
	bool whole;          /* long collections are not truncated */
	struct python_mark *marks;
	size_t n_marks;
	/* Of text_python_write. */
	struct text path;
	bool never_hangs; /* values begin on the line of their key */
};

/*
 * Appends facts as a Python literal, wrapped at n_columns columns if possible and indented by
 * column. Addresses (the first item of `data`) are hexadecimal.
 */
void text_python_write(
	struct python_text *out, const struct value *facts, size_t column, size_t n_columns);

/*
 * What is printed of what an interface declares. A mask, in facts {exposes, declared}, is printed
 * as an object of its type; mask_type: if that is unknown.
 */
const struct value *text_python_declared(
	struct arena *arena, const struct value *declared, const char *mask_type);

void text_python_free(struct python_text *out);

#endif
