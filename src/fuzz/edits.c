// SPDX-License-Identifier: MIT
#include "fuzz/edits.h"

#include "base/array_size.h"
#include "formats/json/json_write.h"
#include "formats/yaml/yaml_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_EDITS = 16 };

uint8_t fuzz_choose(struct fuzz_input *input)
{
	if (!input->n_bytes)
		return 0;
	input->n_bytes--;
	return *input->bytes++;
}

/* A value of the document that the input chooses. */
static struct value *choose_part(struct fuzz_input *input, struct value *value)
{
	while (value->kind >= VALUE_LIST && value->n_items) {
		uint8_t which = fuzz_choose(input);

		if (which >= 0xf0)
			break;
		value = value->items[which % value->n_items];
	}
	return value;
}

static struct value *choose_new_value(
	struct arena *arena, struct fuzz_input *input, struct value *document)
{
	static const int64_t numbers[] = { 0, 1, 2, 3, 8, 64, 65, 255, 4096, -1, -8, INT32_MAX,
		INT32_MIN, INT64_C(1) << 32, INT64_C(1) << 62, INT64_MAX, INT64_MIN };
	static const char *const texts[] = { "", "\n", "\xed\xa0\x80", "\x1b[31m", "0x0",
		"0xffffffffffffffff", "a, b", "numpy", "ok", "]]>", "</script>", "|||", "%n" };
	uint8_t kind = fuzz_choose(input), which = fuzz_choose(input);
	struct value *list;

	switch (kind % 10) {
	case 0:
		return value_null(arena);
	case 1:
		return value_bool(arena, which & 1);
	case 2:
		return value_int(arena, numbers[which % ARRAY_SIZE(numbers)]);
	case 3:
		return value_text(arena, texts[which % ARRAY_SIZE(texts)]);
	case 4:
		return value_map(arena);
	case 5:
		list = value_list(arena);
		for (int i = 0; i < which % 4; i++)
			value_append(arena, list, value_copy(arena, choose_part(input, document)));
		return list;
	case 6:
		return value_real(arena, (double)which / 4 - 8);
	case 7:
		return value_wide_int(arena, "18446744073709551616");
	default:
		return value_copy(arena, choose_part(input, document));
	}
}

static void edit_container(struct arena *arena, struct fuzz_input *input, struct value *document,
	struct value *container)
{
	static const char *const keys[] = { "targets", "call_sites", "pieces", "suai", "status",
		"interfaces", "declared", "types", "shape", "x" };
	struct value *added = choose_new_value(arena, input, document);

	switch (fuzz_choose(input) % 3) {
	case 0:
		if (container->n_items)
			container->n_items--;
		break;
	case 1:
		container->n_items = 0;
		break;
	default:
		if (container->kind == VALUE_MAP)
			value_set(arena, container, keys[fuzz_choose(input) % ARRAY_SIZE(keys)],
				added);
		else
			value_append(arena, container, added);
	}
}

void fuzz_edit(struct arena *arena, struct fuzz_input *input, struct value *document)
{
	for (int i = 0; i < MAX_EDITS && input->n_bytes; i++) {
		struct value *part = choose_part(input, document);

		if (part->kind >= VALUE_LIST)
			edit_container(arena, input, document, part);
		else
			*part = *choose_new_value(arena, input, document);
	}
}

const char *fuzz_file(const void *bytes, size_t n_bytes)
{
	static char path[40];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, bytes, n_bytes, 0) != (ssize_t)n_bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static const char *file_of_document(const struct value *document)
{
	char *bytes = NULL;
	size_t n_bytes;
	FILE *stream = open_memstream(&bytes, &n_bytes);
	const char *path;
	struct err err;

	if (json_write_document(stream, document, &err))
		abort();
	fclose(stream);
	path = fuzz_file(bytes, n_bytes);
	free(bytes);
	return path;
}

const char *fuzz_edited_file(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input edits = { bytes, n_bytes };
	size_t n_edit_bytes = fuzz_choose(&edits);
	struct arena arena = { 0 };
	struct value *document;
	const char *path;
	struct err err;

	if (n_edit_bytes > edits.n_bytes)
		n_edit_bytes = edits.n_bytes;
	bytes = edits.bytes + n_edit_bytes;
	n_bytes = edits.n_bytes - n_edit_bytes;
	edits.n_bytes = n_edit_bytes;
	document = yaml_read(&arena, (const char *)bytes, n_bytes, &err);
	if (document)
		fuzz_edit(&arena, &edits, document);
	path = document ? file_of_document(document) : fuzz_file(bytes, n_bytes);
	arena_free(&arena);
	return path;
}
