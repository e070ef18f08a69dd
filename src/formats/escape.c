// SPDX-License-Identifier: MIT
/* Backslash escapes for text that is not UTF-8 (RFC 3629: no surrogates, no overlong forms). */
#include "formats/escape.h"

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

/* C0, DEL, and C1 in UTF-8. */
static bool is_control(const char *bytes, size_t length)
{
	unsigned char first = (unsigned char)bytes[0];

	return first < 0x20 || first == 0x7f ||
	       (length == 2 && first == 0xc2 && (unsigned char)bytes[1] < 0xa0);
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
		} else if (mode == ESCAPE_TERMINAL && is_control(bytes + i, length)) {
			for (size_t j = 0; j < length; j++)
				add_byte(out, bytes[i + j]);
		} else if (mode == ESCAPE_REVERSIBLE && bytes[i] == '\\') {
			text_add(out, "\\\\");
		} else {
			text_add_bytes(out, bytes + i, length);
		}
	}
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

/* Reads n hex digits; -1 where they are not there. */
static int hex_digits(const char *bytes, size_t n_bytes, size_t n_digits)
{
	static const char digits[] = "0123456789abcdef";
	int number = 0;

	if (n_bytes < n_digits)
		return -1;
	for (size_t i = 0; i < n_digits; i++) {
		const char *digit = bytes[i] ? strchr(digits, bytes[i]) : NULL;

		if (!digit)
			return -1;
		number = number << 4 | (int)(digit - digits);
	}
	return number;
}

/* Undoes the escape at bytes[0], a backslash. Gives the number of bytes it took. */
static size_t undo_one(struct text *out, const char *bytes, size_t n_bytes)
{
	char kind = n_bytes > 1 ? bytes[1] : '\0';
	int code;

	if (kind == '\\') {
		text_add(out, "\\");
		return 2;
	}
	code = kind == 'x' ? hex_digits(bytes + 2, n_bytes - 2, 2) : -1;
	if (code >= 0) {
		text_add_bytes(out, &(char){ (char)code }, 1);
		return 4;
	}
	code = kind == 'u' ? hex_digits(bytes + 2, n_bytes - 2, 4) : -1;
	if (code >= 0xd800 && code <= 0xdfff) {
		const char surrogate[3] = { (char)0xed, (char)(0x80 | (code >> 6 & 0x3f)),
			(char)(0x80 | (code & 0x3f)) };

		text_add_bytes(out, surrogate, sizeof(surrogate));
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
