// SPDX-License-Identifier: MIT
/* A matrix as one HTML page: page.html with the document as JSON. */
#include "matrix/matrix_formats.h"

#include "base/memory.h"
#include "formats/json/json_write.h"
#include "matrix/page.h"

#include <stdlib.h>
#include <string.h>

#define DOCUMENT_MARK "@DOCUMENT@"

/* The document, in which nothing ends the script element that contains it. */
static int add_json(struct text *out, const struct value *document, struct err *err)
{
	struct json_writer writer = { 0 };
	char *json = NULL;
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&json, &n_bytes);
	int status = stream ? json_write_value(&writer, stream, document, err) : -1;

	if (!stream || fclose(stream) || !json) /* fails only if out of memory */
		mem_fail();
	for (const char *c = json; !status && *c; c++)
		if (*c == '<')
			text_add(out, "\\u003c");
		else
			text_add_bytes(out, c, 1);
	json_writer_free(&writer);
	free(json);
	return status;
}

int matrix_write_html(
	const struct format_output *output, const struct value *document, struct err *err)
{
	const char *mark = strstr(matrix_page, DOCUMENT_MARK);
	struct text page = { 0 };
	int status;

	text_add_bytes(&page, matrix_page, (size_t)(mark - matrix_page));
	status = add_json(&page, document, err);
	text_add(&page, mark + strlen(DOCUMENT_MARK));
	if (!status)
		status = json_write_text(output->stream, page.bytes, err);
	text_free(&page);
	return status;
}
