// SPDX-License-Identifier: MIT
/* The UTF-8 of facts: RFC 3629, with surrogates as 3 bytes each, as Python's surrogatepass. */
#include "base/utf8.h"
#include "model/value.h"

#include <string.h>

/* The length of the sequence that a byte begins; 0: none begins with it. */
static size_t sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xC2 || first > 0xF4)
		return 0;
	return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

size_t value_utf8_sequence(const char *bytes, size_t n_bytes)
{
	unsigned char first, second;
	size_t n_sequence;

	if (!n_bytes)
		return 0;
	first = (unsigned char)bytes[0];
	n_sequence = sequence_length(first);
	if (!n_sequence || n_sequence > n_bytes)
		return 0;
	for (size_t i = 1; i < n_sequence; i++)
		if (!utf8_continues(bytes[i]))
			return 0;
	second = n_sequence > 2 ? (unsigned char)bytes[1] : 0;
	/* Overlong forms, and code points above U+10FFFF. */
	if ((first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90) ||
		(first == 0xF4 && second > 0x8F))
		return 0;
	return n_sequence;
}

struct value *value_text_escaped(struct arena *arena, const char *bytes)
{
	size_t n_bytes = bytes ? strlen(bytes) : 0, n_escaped = 0, n_sequence;
	char *escaped = arena_alloc(arena, 3 * n_bytes + 1);

	if (!bytes)
		return value_null(arena);
	for (size_t at = 0; at < n_bytes; at += n_sequence ? n_sequence : 1) {
		unsigned char byte = (unsigned char)bytes[at];

		n_sequence = value_utf8_sequence(bytes + at, n_bytes - at);
		if (n_sequence) {
			memcpy(escaped + n_escaped, bytes + at, n_sequence);
			n_escaped += n_sequence;
			continue;
		}
		n_escaped += utf8_from_point(0xDC00U + byte, escaped + n_escaped);
	}
	return value_text_n(arena, escaped, n_escaped);
}

/* The byte of a surrogate at the start; 0: there is none. */
static unsigned char escaped_byte(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;

	if (bytes[0] != 0xED || (bytes[1] != 0xB2 && bytes[1] != 0xB3) || !utf8_continues(text[2]))
		return 0;
	return (unsigned char)(bytes[1] << 6 | (bytes[2] & 0x3F));
}

const char *value_text_unescape(struct arena *arena, const char *text)
{
	char *bytes = text ? arena_copy(arena, text, strlen(text)) : NULL;
	size_t n_bytes = 0;

	for (; text && *text; n_bytes++) {
		unsigned char byte = escaped_byte(text);

		bytes[n_bytes] = byte ? (char)byte : *text;
		text += byte ? 3 : 1;
	}
	if (bytes)
		bytes[n_bytes] = '\0';
	return bytes;
}

bool value_key_is_typed(const char *key, size_t n_bytes)
{
	return n_bytes > 2 && key[0] == '<' && key[n_bytes - 1] == '>' && memchr(key, ' ', n_bytes);
}
