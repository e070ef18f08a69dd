// SPDX-License-Identifier: MIT
/* The text format: documents for people. */
#include "formats/format.h"
#include "formats/text_devices.h"

#include <errno.h>
#include <string.h>

static int check_stream(const struct output *output, struct err *err)
{
	if (ferror(output->stream))
		return err_set(err, EXIT_USAGE, "cannot write text: %s", strerror(errno));
	return 0;
}

static int text_begin(struct output *output, const struct value *head, struct err *err)
{
	text_write_devices(output->stream, value_get(head, "devices"));
	return check_stream(output, err);
}

static int text_end(struct output *output, const struct value *summary, struct err *err)
{
	(void)output;
	(void)summary;
	(void)err;
	return 0;
}

static int text_target(struct output *output, const struct value *document, struct err *err)
{
	const struct value *interfaces = value_get(document, "interfaces");

	fprintf(output->stream, "%s: %s\n", value_text_or(value_get(document, "target"), "?"),
		value_text_or(value_get(document, "type"), "?"));
	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		fprintf(output->stream, "  %s: %s %s\n",
			value_text_or(value_get(interfaces->items[i], "protocol"), "?"),
			value_text_or(value_get(interfaces->items[i], "status"), "?"),
			value_text_or(value_at(interfaces->items[i], "array.dtype"), ""));
	return check_stream(output, err);
}

const struct format text_format = {
	.name = "text",
	.commands = "inspect validate convert devices",
	.begin = text_begin,
	.target = text_target,
	.end = text_end,
};
