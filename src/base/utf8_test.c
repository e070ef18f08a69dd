// SPDX-License-Identifier: MIT
/* Characters of each length at their limits, and texts that end within one. */
#include "base/utf8.h"

#include "base/array_size.h"
#include "base/test.h"

#include <string.h>

static const struct {
	uint32_t point;
	const char *bytes;
} characters[] = {
	{ 0x7F, "\x7F" },
	{ 0x80, "\xC2\x80" },
	{ 0x7FF, "\xDF\xBF" },
	{ 0x800, "\xE0\xA0\x80" },
	{ 0xDC80, "\xED\xB2\x80" },
	{ 0xFFFF, "\xEF\xBF\xBF" },
	{ 0x10000, "\xF0\x90\x80\x80" },
	{ 0x10FFFF, "\xF4\x8F\xBF\xBF" },
};

static const struct {
	const char *text;
	size_t max_bytes, n_bytes;
} texts[] = {
	{ "", 3, 0 },
	{ "abc", 3, 3 },
	{ "abcd", 3, 3 },
	{ "ab\xC2\x80", 3, 2 },
	{ "ab\xC2\x80", 4, 4 },
	{ "\xF0\x90\x80\x80", 3, 0 },
	{ "\x80\x80\x80\x80", 3, 0 },
	{ "abc", 0, 0 },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(characters); i++) {
		char bytes[5] = "";
		size_t n_bytes = utf8_from_point(characters[i].point, bytes);

		CHECK(n_bytes == strlen(characters[i].bytes) && !strcmp(bytes, characters[i].bytes),
			"U+%04X: %zu bytes", (unsigned)characters[i].point, n_bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		size_t n_bytes =
			utf8_truncated(texts[i].text, strlen(texts[i].text), texts[i].max_bytes);

		CHECK(n_bytes == texts[i].n_bytes, "text %zu: %zu", i, n_bytes);
	}
	return test_end();
}
