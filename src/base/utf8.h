// SPDX-License-Identifier: MIT
/* Characters in UTF-8. Bytes that are not UTF-8 are never read beyond their end. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a byte continues a character, and is not the first of one. */
static inline bool utf8_continues(char byte)
{
	return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The most bytes, up to max_bytes, that end where a character does. */
size_t utf8_truncated(const char *bytes, size_t n_bytes, size_t max_bytes);

/* Writes a character, a surrogate as 3 bytes, and returns the number of its bytes. */
size_t utf8_from_point(uint32_t point, char bytes[4]);

#endif
