// SPDX-License-Identifier: MIT
/*
 * Any document for `suai matrix --from` and `--diff`: it is written in each format, or the message
 * states what is wrong; nothing differs between it and itself.
 */
#include "base/array_size.h"
#include "fuzz/edits.h"
#include "matrix/matrix_diff.h"
#include "matrix/matrix_formats.h"
#include "matrix/matrix_read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static int (*const formats_of_matrix[])(
	const struct format_output *output, const struct value *document, struct err *err) = {
	matrix_write_text,
	matrix_write_markdown,
	matrix_write_html,
	matrix_write_json,
};

static void write_matrix(const struct value *document, const struct format_output *output)
{
	struct err err = { .message = "" };
	size_t n_changed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(formats_of_matrix); i++)
		if (formats_of_matrix[i](output, document, &err))
			abort();
	if (matrix_diff_write(output, NULL, document, document, &n_changed, &err) || n_changed)
		abort();
}

static void read_matrix(struct arena *arena, const char *path)
{
	static const int verbosities[] = { 0, -1, 1 };
	struct err err = { .message = "" };
	const struct value *document = matrix_read(arena, "--from", path, &err);
	char *bytes = NULL;
	size_t n_bytes;
	FILE *stream;

	if (!document) {
		if (!err.message[0])
			abort();
		return;
	}
	stream = open_memstream(&bytes, &n_bytes);
	for (size_t i = 0; i < ARRAY_SIZE(verbosities); i++) {
		const struct format_output output = { .stream = stream,
			.command = "matrix",
			.terminal = { .columns = i ? 30 : 100 },
			.verbosity = verbosities[i] };

		write_matrix(document, &output);
	}
	fclose(stream);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };

	read_matrix(&arena, fuzz_edited_file(bytes, n_bytes));
	arena_free(&arena);
	return 0;
}
