// SPDX-License-Identifier: MIT
#include "matrix/matrix_formats.h"

#include "formats/json/json_write.h"

int matrix_write_json(
	const struct format_output *output, const struct value *document, struct err *err)
{
	struct json_writer writer = { 0 };
	int status = json_write_value(&writer, output->stream, document, err);

	if (!status)
		status = json_write_text(output->stream, "\n", err);
	json_writer_free(&writer);
	return status;
}
