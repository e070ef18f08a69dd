// SPDX-License-Identifier: MIT
/*
 * The wire form: a kind byte (its top bit: a type name follows), then the payload. Numbers are
 * little-endian, counts have 4 bytes; text is its length and bytes; containers are their count and
 * items, each item of a map after its key.
 */
#include "model/wire.h"

#include "model/escape.h"

#include <inttypes.h>
#include <string.h>

enum { HAS_TYPE_NAME = 0x80 };

static void wire_write_number(struct text *out, uint64_t number, int n_bytes)
{
	unsigned char bytes[8];

	for (int i = 0; i < n_bytes; i++)
		bytes[i] = (unsigned char)(number >> 8 * i);
	text_add_bytes(out, bytes, (size_t)n_bytes);
}

/* A count too large for the wire is written as one that every reader refuses. */
static void wire_write_count(struct text *out, size_t count)
{
	wire_write_number(out, count < UINT32_MAX ? count : UINT32_MAX, 4);
}

static void wire_write_bytes(struct text *out, const char *bytes, size_t n_bytes)
{
	wire_write_count(out, n_bytes);
	text_add_bytes(out, bytes, n_bytes);
}

static bool is_utf8(const char *bytes, size_t n_bytes)
{
	size_t n_sequence;

	for (size_t at = 0; at < n_bytes; at += n_sequence) {
		n_sequence = value_utf8_sequence(bytes + at, n_bytes - at);
		if (!n_sequence)
			return false;
	}
	return true;
}

/* Text that is not UTF-8, which every reader refuses, is escaped: a message may quote any bytes. */
static void wire_write_text(struct text *out, const char *bytes, size_t n_bytes)
{
	struct text escaped = { 0 };

	if (is_utf8(bytes, n_bytes)) {
		wire_write_bytes(out, bytes, n_bytes);
		return;
	}
	escape_text(&escaped, bytes, n_bytes, ESCAPE_INVALID);
	wire_write_bytes(out, escaped.bytes, escaped.n_bytes);
	text_free(&escaped);
}

static void wire_write_items(struct text *out, const struct value *value)
{
	wire_write_count(out, value->n_items);
	for (size_t i = 0; i < value->n_items; i++) {
		if (value->kind == VALUE_MAP)
			wire_write_text(out, value->keys[i], strlen(value->keys[i]));
		wire_write(out, value->items[i]);
	}
}

void wire_write(struct text *out, const struct value *value)
{
	uint64_t real;

	wire_write_number(out, value->kind | (value->type_name ? HAS_TYPE_NAME : 0), 1);
	if (value->type_name)
		wire_write_text(out, value->type_name, strlen(value->type_name));
	switch (value->kind) {
	case VALUE_NULL:
		break;
	case VALUE_BOOL:
		wire_write_number(out, value->boolean, 1);
		break;
	case VALUE_INT:
		wire_write_number(out, (uint64_t)value->integer, 8);
		break;
	case VALUE_REAL:
		memcpy(&real, &value->real, sizeof(real));
		wire_write_number(out, real, 8);
		break;
	case VALUE_TEXT:
	case VALUE_OPAQUE:
		wire_write_text(out, value->bytes, value->n_bytes);
		break;
	case VALUE_WIDE_INT:
	case VALUE_BYTES:
		wire_write_bytes(out, value->bytes, value->n_bytes);
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_MAP:
		wire_write_items(out, value);
		break;
	}
}

struct reader {
	const unsigned char *bytes;
	size_t n_bytes, at;
	struct arena *arena;
	struct err *err;
	int depth;
};

static void *wire_malformed(struct reader *reader, const char *what)
{
	err_set(reader->err, EXIT_BUG, "malformed fact: %s at byte %zu of %zu", what, reader->at,
		reader->n_bytes);
	return NULL;
}

static bool wire_read_number(struct reader *reader, int n_bytes, uint64_t *number)
{
	if (reader->n_bytes - reader->at < (size_t)n_bytes)
		return wire_malformed(reader, "truncated");
	*number = 0;
	for (int i = 0; i < n_bytes; i++)
		*number |= (uint64_t)reader->bytes[reader->at++] << 8 * i;
	return true;
}

static bool wire_is_decimal(const char *bytes, size_t n_bytes)
{
	size_t sign = n_bytes && bytes[0] == '-';

	for (size_t i = sign; i < n_bytes; i++)
		if (bytes[i] < '0' || bytes[i] > '9')
			return false;
	return n_bytes > sign;
}

/* A length and its bytes. Only the copy is inspected: the input may change meanwhile. */
static const char *wire_read_bytes(struct reader *reader, size_t *n_bytes)
{
	const char *copy;
	uint64_t count;

	if (!wire_read_number(reader, 4, &count))
		return NULL;
	if (count > reader->n_bytes - reader->at)
		return wire_malformed(reader, "a length that exceeds the message");
	copy = arena_copy(reader->arena, reader->bytes + reader->at, count);
	reader->at += count;
	*n_bytes = count;
	return copy;
}

/* A key or a type name: text without zeros. */
static const char *wire_read_name(struct reader *reader)
{
	size_t n_bytes;
	const char *name = wire_read_bytes(reader, &n_bytes);

	if (name && (memchr(name, '\0', n_bytes) || !is_utf8(name, n_bytes)))
		return wire_malformed(reader, "a name that is not UTF-8");
	return name;
}

static bool wire_read_text(struct reader *reader, struct value *value)
{
	value->bytes = wire_read_bytes(reader, &value->n_bytes);
	if (!value->bytes)
		return false;
	if (value->kind == VALUE_WIDE_INT && !wire_is_decimal(value->bytes, value->n_bytes))
		return wire_malformed(reader, "an integer that is not decimal");
	if (value->kind != VALUE_BYTES && !is_utf8(value->bytes, value->n_bytes))
		return wire_malformed(reader, "a string that is not UTF-8");
	return true;
}

static struct value *wire_read_value(struct reader *reader);

static bool wire_read_items(struct reader *reader, struct value *value)
{
	const char *key = NULL;
	struct value *item;
	uint64_t count;

	if (!wire_read_number(reader, 4, &count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (value->kind == VALUE_MAP && !(key = wire_read_name(reader)))
			return false;
		item = wire_read_value(reader);
		if (!item)
			return false;
		if (key)
			value_add(reader->arena, value, key, item);
		else
			value_append(reader->arena, value, item);
	}
	return true;
}

static bool wire_read_payload(struct reader *reader, struct value *value)
{
	uint64_t number;

	switch (value->kind) {
	case VALUE_NULL:
		return true;
	case VALUE_BOOL:
		if (!wire_read_number(reader, 1, &number))
			return false;
		value->boolean = number == 1;
		return number <= 1 || wire_malformed(reader, "invalid truth value");
	case VALUE_INT:
		if (!wire_read_number(reader, 8, &number))
			return false;
		value->integer = (int64_t)number;
		return true;
	case VALUE_REAL:
		if (!wire_read_number(reader, 8, &number))
			return false;
		memcpy(&value->real, &number, sizeof(number));
		return true;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_MAP:
		return wire_read_items(reader, value);
	default:
		return wire_read_text(reader, value);
	}
}

static struct value *wire_read_value(struct reader *reader)
{
	struct value *value = value_null(reader->arena);
	uint64_t kind;

	if (reader->depth >= VALUE_MAX_DEPTH)
		return wire_malformed(reader, "nested too deeply");
	if (!wire_read_number(reader, 1, &kind))
		return NULL;
	if ((kind & ~(uint64_t)HAS_TYPE_NAME) > VALUE_MAP)
		return wire_malformed(reader, "an unknown kind");
	value->kind = (enum value_kind)(kind & ~(uint64_t)HAS_TYPE_NAME);
	if (kind & HAS_TYPE_NAME && !(value->type_name = wire_read_name(reader)))
		return NULL;
	reader->depth++;
	if (!wire_read_payload(reader, value))
		return NULL;
	reader->depth--;
	return value;
}

struct value *wire_read(struct arena *arena, const void *bytes, size_t n_bytes, struct err *err)
{
	struct reader reader = { .bytes = bytes, .n_bytes = n_bytes, .arena = arena, .err = err };
	struct value *value;

	if (n_bytes > VALUE_MAX_WIRE_BYTES)
		return wire_malformed(&reader, "more than 8 MiB");
	value = wire_read_value(&reader);
	if (value && reader.at != n_bytes)
		return wire_malformed(&reader, "trailing bytes");
	return value;
}
