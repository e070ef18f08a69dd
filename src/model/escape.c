// SPDX-License-Identifier: MIT
/* Backslash escapes for text that is not UTF-8 (RFC 3629: no surrogates, no overlong forms). */
#include "model/escape.h"

#include "base/array_size.h"
#include "base/utf8.h"
#include "model/value.h"

#include <stdint.h>
#include <string.h>

static bool is_surrogate(const char *bytes, size_t n_bytes)
{
	return n_bytes >= 3 && (unsigned char)bytes[0] == 0xed && (unsigned char)bytes[1] >= 0xa0 &&
	       value_utf8_sequence(bytes, n_bytes) == 3;
}

size_t escape_utf8_length(const char *bytes, size_t n_bytes)
{
	return is_surrogate(bytes, n_bytes) ? 0 : value_utf8_sequence(bytes, n_bytes);
}

bool escape_is_utf8(const char *bytes, size_t n_bytes)
{
	for (size_t i = 0, length; i < n_bytes; i += length) {
		length = escape_utf8_length(bytes + i, n_bytes - i);
		if (!length)
			return false;
	}
	return true;
}

static uint32_t code_point(const char *bytes, size_t length)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t point = (unsigned char)bytes[0] & masks[length];

	for (size_t i = 1; i < length; i++)
		point = point << 6 | ((unsigned char)bytes[i] & 0x3f);
	return point;
}

bool escape_is_unsafe(const char *bytes, size_t length)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x0, 0x1f },
		{ 0x7f, 0x9f },
		{ 0xad, 0xad },
		{ 0x61c, 0x61c },
		{ 0x180e, 0x180e },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb },
		{ 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe007f },
	};
	uint32_t point = code_point(bytes, length);

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return false;
}

void escape_unsafe(struct text *out, const char *bytes, size_t length)
{
	uint32_t point = code_point(bytes, length);

	text_printf(out, point < 0x80 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\U%08x", point);
}

void escape_document(struct text *out, const char *bytes, size_t n_bytes, enum escape_syntax syntax)
{
	size_t kept = 0;

	for (size_t i = 0, length; i < n_bytes; i += length) {
		unsigned char first = (unsigned char)bytes[i];
		uint32_t point;

		length = first < 0x7f ? 1 : escape_utf8_length(bytes + i, n_bytes - i);
		length = length ? length : 1;
		if (first < 0x7f || !escape_is_unsafe(bytes + i, length))
			continue;
		text_add_bytes(out, bytes + kept, i - kept);
		kept = i + length;
		point = code_point(bytes + i, length);
		if (point < 0x10000)
			text_printf(out, "\\u%04x", point);
		else if (syntax == ESCAPE_YAML)
			text_printf(out, "\\U%08x", point);
		else
			text_printf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
				0xdc00 + (point & 0x3ff));
	}
	text_add_bytes(out, bytes + kept, n_bytes - kept);
}

static void add_byte(struct text *out, char byte)
{
	text_printf(out, "\\x%02x", (unsigned)(unsigned char)byte);
}

void escape_text(struct text *out, const char *bytes, size_t n_bytes, enum escape_mode mode)
{
	for (size_t i = 0, length; i < n_bytes; i += length) {
		length = escape_utf8_length(bytes + i, n_bytes - i);
		if (!length && is_surrogate(bytes + i, n_bytes - i)) {
			text_printf(out, "\\ud%03x",
				(unsigned)((bytes[i + 1] & 0x3f) << 6 | (bytes[i + 2] & 0x3f)));
			length = 3;
		} else if (!length) {
			add_byte(out, bytes[i]);
			length = 1;
		} else if (mode >= ESCAPE_TERMINAL && escape_is_unsafe(bytes + i, length)) {
			escape_unsafe(out, bytes + i, length);
		} else if ((mode == ESCAPE_REVERSIBLE || mode == ESCAPE_FIELD) &&
			   bytes[i] == '\\') {
			text_add(out, "\\\\");
		} else {
			text_add_bytes(out, bytes + i, length);
		}
	}
}

void escape_print(FILE *stream, const char *text)
{
	struct text escaped = { 0 };

	escape_text(&escaped, text, strlen(text), ESCAPE_TERMINAL);
	fprintf(stream, "%s", escaped.bytes ? escaped.bytes : "");
	text_free(&escaped);
}

void escape_bytes(struct text *out, const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++) {
		if (bytes[i] == '\\')
			text_add(out, "\\\\");
		else if (bytes[i] >= 0x20 && bytes[i] < 0x7f)
			text_add_bytes(out, bytes + i, 1);
		else
			add_byte(out, bytes[i]);
	}
}

int64_t escape_read_hex(const char *bytes, size_t n_bytes, size_t n_digits)
{
	static const char digits[] = "0123456789abcdef";
	int64_t number = 0;

	if (n_bytes < n_digits)
		return -1;
	for (size_t i = 0; i < n_digits; i++) {
		const char *digit = bytes[i] ? strchr(digits, bytes[i]) : NULL;

		if (!digit)
			return -1;
		number = number << 4 | (digit - digits);
	}
	return number;
}

/* Undoes the escape at bytes[0], a backslash. Returns its length in bytes. */
static size_t undo_one(struct text *out, const char *bytes, size_t n_bytes)
{
	char kind = n_bytes > 1 ? bytes[1] : '\0';
	int64_t code;

	if (kind == '\\') {
		text_add(out, "\\");
		return 2;
	}
	code = kind == 'x' ? escape_read_hex(bytes + 2, n_bytes - 2, 2) : -1;
	if (code >= 0) {
		text_add_bytes(out, &(char){ (char)code }, 1);
		return 4;
	}
	code = kind == 'u' ? escape_read_hex(bytes + 2, n_bytes - 2, 4) : -1;
	if (code >= 0xd800 && code <= 0xdfff) {
		char surrogate[4];

		text_add_bytes(out, surrogate, utf8_from_point((uint32_t)code, surrogate));
		return 6;
	}
	text_add(out, "\\");
	return 1;
}

void escape_undo(struct text *out, const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes;) {
		if (bytes[i] == '\\') {
			i += undo_one(out, bytes + i, n_bytes - i);
		} else {
			text_add_bytes(out, bytes + i, 1);
			i++;
		}
	}
}
