// SPDX-License-Identifier: MIT
/* The header of a .npy file as facts: magic, version, and the Python literal that numpy.lib.format
 * writes. */
#include "commands/npy_file.h"

#include "model/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_HEADER_BYTES = 1 << 20 };

/* What is left of the header text. */
struct literal {
	const char *at;
	int depth;
};

static struct value *read_literal(struct arena *arena, struct literal *literal);

static void skip_space(struct literal *literal)
{
	literal->at += strspn(literal->at, " \t\n\r");
}

static struct value *read_string(struct arena *arena, struct literal *literal)
{
	char quote = *literal->at;
	const char *start = literal->at + 1, *end = strchr(start, quote);

	if (!end || memchr(start, '\\', (size_t)(end - start)))
		return NULL;
	literal->at = end + 1;
	return value_text_n(arena, start, (size_t)(end - start));
}

static struct value *read_integer(struct arena *arena, struct literal *literal)
{
	char *end;
	long long integer;

	errno = 0;
	integer = strtoll(literal->at, &end, 10);
	if (end == literal->at || errno)
		return NULL;
	literal->at = *end == 'L' ? end + 1 : end;
	return value_int(arena, integer);
}

static struct value *read_items(struct arena *arena, struct literal *literal, char close)
{
	struct value *items = close == ')' ? value_tuple(arena) : value_list(arena), *item;

	literal->at++;
	for (skip_space(literal); *literal->at != close; skip_space(literal)) {
		item = read_literal(arena, literal);
		if (!item)
			return NULL;
		value_append(arena, items, item);
		skip_space(literal);
		if (*literal->at == ',')
			literal->at++;
		else if (*literal->at != close)
			return NULL;
	}
	literal->at++;
	return items;
}

static struct value *read_dict(struct arena *arena, struct literal *literal)
{
	struct value *map = value_map(arena), *key, *item;

	literal->at++;
	for (skip_space(literal); *literal->at != '}'; skip_space(literal)) {
		key = read_literal(arena, literal);
		skip_space(literal);
		if (!value_is(key, VALUE_TEXT) || *literal->at++ != ':')
			return NULL;
		item = read_literal(arena, literal);
		if (!item)
			return NULL;
		value_set(arena, map, key->bytes, item);
		skip_space(literal);
		if (*literal->at == ',')
			literal->at++;
		else if (*literal->at != '}')
			return NULL;
	}
	literal->at++;
	return map;
}

static bool take_word(struct literal *literal, const char *word)
{
	size_t n_chars = strlen(word);

	if (strncmp(literal->at, word, n_chars) != 0)
		return false;
	literal->at += n_chars;
	return true;
}

static struct value *read_plain(struct arena *arena, struct literal *literal)
{
	if (take_word(literal, "True"))
		return value_bool(arena, true);
	if (take_word(literal, "False"))
		return value_bool(arena, false);
	return take_word(literal, "None") ? value_null(arena) : read_integer(arena, literal);
}

static struct value *read_literal(struct arena *arena, struct literal *literal)
{
	struct value *value;

	if (++literal->depth > VALUE_MAX_DEPTH)
		return NULL;
	skip_space(literal);
	switch (*literal->at) {
	case '\'':
	case '"':
		value = read_string(arena, literal);
		break;
	case '(':
		value = read_items(arena, literal, ')');
		break;
	case '[':
		value = read_items(arena, literal, ']');
		break;
	case '{':
		value = read_dict(arena, literal);
		break;
	default:
		value = read_plain(arena, literal);
	}
	literal->depth--;
	return value;
}

/* Magic and version in front of the header: its length's width depends on the version. -1: no .npy.
 */
static int64_t header_length(const unsigned char *head, size_t n_bytes, int *prefix)
{
	if (n_bytes < 10 || memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3)
		return -1;
	*prefix = head[6] == 1 ? 10 : 12;
	if (head[6] == 1)
		return head[8] | head[9] << 8;
	if (n_bytes < 12)
		return -1;
	return (int64_t)head[8] | (int64_t)head[9] << 8 | (int64_t)head[10] << 16 |
	       (int64_t)head[11] << 24;
}

/* Fills declared and details; a message where the bytes are no .npy file. */
static const char *read_header(struct arena *arena, FILE *file, struct value *interface)
{
	struct literal literal = { 0 };
	unsigned char head[12];
	struct value *declared, *details = value_map(arena), *version = value_tuple(arena);
	size_t n_bytes = fread(head, 1, sizeof(head), file);
	int prefix = 0;
	int64_t length = header_length(head, n_bytes, &prefix);
	char *text;

	if (length < 0)
		return "not a .npy file: it does not begin with \\x93NUMPY and a known version";
	if (length > MAX_HEADER_BYTES)
		return "the header's length is over 1 MiB";
	text = arena_alloc(arena, (size_t)length + 1);
	if (fseek(file, prefix, SEEK_SET) || fread(text, 1, (size_t)length, file) != (size_t)length)
		return "the file ends inside its header";
	literal.at = text;
	declared = read_literal(arena, &literal);
	skip_space(&literal);
	if (!value_is(declared, VALUE_MAP) || *literal.at)
		return "the header is not a Python dictionary of plain literals";
	value_append(arena, version, value_int(arena, head[6]));
	value_append(arena, version, value_int(arena, head[7]));
	value_set(arena, details, "version", version);
	value_set(arena, details, "data_offset", value_int(arena, prefix + length));
	value_set(arena, interface, "declared", declared);
	value_set(arena, interface, "details", details);
	return NULL;
}

static struct value *file_memory(struct arena *arena, const char *path, int64_t size)
{
	struct memory memory;

	memory_init(&memory, 0, 0);
	memory.kind = MEMORY_FILE;
	memory.size = (uint64_t)size;
	memory.host_accessible = ANSWER_NO;
	snprintf(memory.mapping, sizeof(memory.mapping), "%s", path);
	return memory_to_value(arena, &memory);
}

static struct value *new_interface(struct arena *arena)
{
	static const char *const keys[] = { "error", "declared", "details", "memory",
		"memory_reason" };
	struct value *interface = value_map(arena);

	value_set(arena, interface, "protocol", value_text(arena, "npy"));
	value_set(arena, interface, "status", value_text(arena, "ok"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		value_set(arena, interface, keys[i], value_null(arena));
	return interface;
}

static struct value *new_target(struct arena *arena, const char *path, struct value *interface)
{
	struct value *target = value_map(arena), *interfaces = value_list(arena);

	value_set(arena, target, "kind", value_text(arena, "target"));
	value_set(arena, target, "name", value_text_escaped(arena, path));
	value_set(arena, target, "status", value_text(arena, "ok"));
	value_set(arena, target, "type", value_text(arena, ".npy file"));
	value_append(arena, interfaces, interface);
	value_set(arena, target, "interfaces", interfaces);
	return target;
}

struct value *npy_file_read(struct arena *arena, const char *path, struct err *err)
{
	struct value *interface = new_interface(arena);
	const char *message;
	struct stat info;
	FILE *file = fopen(path, "re");

	if (!file || fstat(fileno(file), &info) || S_ISDIR(info.st_mode)) {
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path,
			file ? strerror(EISDIR) : strerror(errno));
		if (file)
			fclose(file);
		return NULL;
	}
	message = read_header(arena, file, interface);
	fclose(file);
	if (message) {
		value_set(arena, interface, "status", value_text(arena, "raised"));
		value_set(arena, interface, "error", value_error(arena, NULL, message));
	} else {
		value_set(arena, (struct value *)value_get(interface, "details"), "file_bytes",
			value_int(arena, info.st_size));
		value_set(arena, interface, "memory", file_memory(arena, path, info.st_size));
	}
	return new_target(arena, path, interface);
}
