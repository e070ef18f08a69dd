// SPDX-License-Identifier: MIT
#include "matrix/matrix_formats.h"

#include "formats/json/json_write.h"

int matrix_write_json(
	const struct format_output *output, const struct value *document, struct err *err)
{
	return json_write_document(output->stream, document, err);
}
