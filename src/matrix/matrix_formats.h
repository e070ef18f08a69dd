// SPDX-License-Identifier: MIT
/* The formats of the document of a matrix (matrix/matrix.h). -1 with err set, as those of
 * formats/format.h. */
#ifndef MATRIX_MATRIX_FORMATS_H
#define MATRIX_MATRIX_FORMATS_H

#include "formats/format.h"
#include "model/value.h"

/* A table that fits the terminal, and the reasons below; -q: the table only, -v: all reasons. */
int matrix_write_text(
	const struct format_output *output, const struct value *document, struct err *err);

int matrix_write_markdown(
	const struct format_output *output, const struct value *document, struct err *err);

/* One page that requires no other file. */
int matrix_write_html(
	const struct format_output *output, const struct value *document, struct err *err);

int matrix_write_json(
	const struct format_output *output, const struct value *document, struct err *err);

#endif
