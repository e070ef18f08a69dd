// SPDX-License-Identifier: MIT
/* Lists of pieces: the offset and the extent of a chunk from its index, at the limits of numbers.
 */
#include "targets/piece_list.h"

#include "base/array_size.h"
#include "base/test.h"
#include "formats/yaml/yaml_read.h"

#include <inttypes.h>
#include <string.h>

/* A list of one piece of a one-dimensional array; "" of an error: there is none. */
static const struct row {
	const char *keys;
	int64_t offset, extent;
	const char *error;
} rows[] = {
	{ "shape: [8], chunks: [3], pieces: [{dump: a, index: [1]}]", 3, 3, "" },
	{ "shape: [8], chunks: [3], pieces: [{dump: a, index: [2]}]", 6, 2, "" },
	{ "shape: [8], chunks: [3], pieces: [{dump: a, index: [3]}]", 9, 0, "" },
	{ "shape: [9], chunks: [3], pieces: [{dump: a, index: [2]}]", 6, 3, "" },
	{ "chunks: [3], pieces: [{dump: a, index: [2]}]", 6, 3, "" },
	{ "shape: [-9223372036854775808], chunks: [3], pieces: [{dump: a, index: [1]}]", 3, 0, "" },
	{ "shape: [9223372036854775807], chunks: [9223372036854775807], pieces: [{dump: a, index: [0]}]",
		0, INT64_MAX, "" },
	{ "chunks: [9223372036854775807], pieces: [{dump: a, index: [1]}]", 0, 0,
		"'pieces[0]': 'index[0]' is 1: out of range" },
	{ "chunks: [4611686018427387904], pieces: [{dump: a, index: [2]}]", 0, 0,
		"'pieces[0]': 'index[0]' is 2: out of range" },
	{ "chunks: [3], pieces: [{dump: a, index: [-1]}]", 0, 0,
		"'pieces[0]': 'index[0]' is -1: out of range" },
	{ "chunks: [[3, 5]], pieces: [{dump: a, index: [1]}]", 3, 5, "" },
	{ "chunks: [[3, 5]], pieces: [{dump: a, index: [-1]}]", 0, 0,
		"'pieces[0]': 'index[0]' is -1, but the axis has 2 chunks" },
	{ "chunks: [[9223372036854775807, 1]], pieces: [{dump: a, index: [0]}]", 0, 0,
		"'chunks[0][1]': expected an extent in elements" },
};

static void check_row(const struct row *row)
{
	struct arena arena = { 0 };
	const char *text = arena_printf(&arena, "{of: x, %s}\n", row->keys);
	struct piece_list list;
	const struct fact_piece *piece;
	const struct value *document;
	struct err err = { 0 };
	int status;

	document = yaml_read(&arena, text, strlen(text), &err);
	status = piece_list_read(&arena, document, "list.yaml", &list, &err);
	CHECK(!strcmp(err.message, row->error), "'%s' of %s", err.message, row->keys);
	if (!status) {
		piece = &list.items[0].piece;
		CHECK(piece->offset.items[0] == row->offset && piece->chunk.items[0] == row->extent,
			"%" PRId64 ", %" PRId64 " of %s", piece->offset.items[0],
			piece->chunk.items[0], row->keys);
	}
	arena_free(&arena);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
	return test_end();
}
