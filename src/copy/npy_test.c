// SPDX-License-Identifier: MIT
/* Headers of .npy: text, version and length, as numpy.lib.format writes them. */
#include "base/test.h"
#include "copy/npy.h"

#include <string.h>

static void check(const struct array *array, const struct value *descr, char order, int version,
	const char *dictionary)
{
	struct text header = { 0 };
	struct err err = { 0 };
	size_t n_head = version == 1 ? 10 : 12, n_dictionary = strlen(dictionary), n_length = 0;

	CHECK(!npy_write_header(&header, array, descr, order, &err), "%s", err.message);
	CHECK(header.n_bytes % 64 == 0, "%zu bytes", header.n_bytes);
	CHECK(header.bytes[header.n_bytes - 1] == '\n', "no newline");
	CHECK(header.bytes[6] == version, "version %d of %s", header.bytes[6], dictionary);
	for (size_t i = n_head; i-- > 8;)
		n_length = n_length << 8 | (unsigned char)header.bytes[i];
	CHECK(n_length + n_head == header.n_bytes, "length %zu", n_length);
	CHECK(!memcmp(header.bytes + n_head, dictionary, n_dictionary), "%.*s", (int)n_dictionary,
		header.bytes + n_head);
	for (size_t i = n_head + n_dictionary; i + 1 < header.n_bytes; i++)
		CHECK(header.bytes[i] == ' ', "byte %zu is not a space", i);
	text_free(&header);
}

static struct value *one_field(struct arena *arena, const char *name)
{
	struct value *fields = value_list(arena), *field = value_tuple(arena),
		     *shape = value_tuple(arena);

	value_append(arena, shape, value_int(arena, 2));
	value_append(arena, field, value_text(arena, name));
	value_append(arena, field, value_text(arena, "<f8"));
	value_append(arena, field, shape);
	value_append(arena, fields, field);
	return fields;
}

int main(void)
{
	struct array array = { .dtype = { .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1 },
		.n_dims = 2,
		.shape = { 3, 4 } };
	struct arena arena = { 0 };
	char name[70000], dictionary[71000];

	check(&array, NULL, 'C', 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
	check(&array, NULL, 'F', 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }");
	array.n_dims = 1;
	check(&array, NULL, 'C', 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
	array.n_dims = 0;
	check(&array, NULL, 'C', 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
	check(&array, one_field(&arena, "it's"), 'C', 1,
		"{'descr': [(\"it's\", '<f8', (2,))], 'fortran_order': False, 'shape': (), }");
	check(&array, one_field(&arena, "\xc3\xa9\n"), 'C', 1,
		"{'descr': [('\xe9\\n', '<f8', (2,))], 'fortran_order': False, 'shape': (), }");
	check(&array, one_field(&arena, "\xe2\x82\xac"), 'C', 3,
		"{'descr': [('\xe2\x82\xac', '<f8', (2,))], 'fortran_order': False, 'shape': (), }");
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	snprintf(dictionary, sizeof(dictionary),
		"{'descr': [('%s', '<f8', (2,))], 'fortran_order': False, 'shape': (), }", name);
	check(&array, one_field(&arena, name), 'C', 2, dictionary);
	arena_free(&arena);
	return test_end();
}
