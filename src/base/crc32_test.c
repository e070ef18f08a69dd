// SPDX-License-Identifier: MIT
/* CRC-32 against published values, whole and in pieces. */
#include "base/array_size.h"
#include "base/crc32.h"

#include "base/test.h"

#include <string.h>

static const struct {
	const char *text;
	uint32_t crc32;
} cases[] = {
	{ "", 0 },
	{ "a", 0xE8B7BE43 },
	{ "123456789", 0xCBF43926 },
	{ "The quick brown fox jumps over the lazy dog", 0x414FA339 },
};

/* The residue of words, which are the digits of a number to the base crc32_power(32), is added to
 * the CRC of the bytes before them. */
static void check_residue(void)
{
	unsigned char bytes[4 * 9 + 3];
	uint32_t residue, base = crc32_power(32);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t n_words = 0; n_words <= 9; n_words++) {
		residue = 0;
		for (size_t i = 0; i < n_words; i++) {
			const unsigned char *word = bytes + 3 + 4 * i;

			residue = crc32_multiply(residue, base) ^
				  ((uint32_t)word[3] << 24 | (uint32_t)word[2] << 16 |
					  (uint32_t)word[1] << 8 | word[0]);
		}
		CHECK(crc32_add_residue(crc32_add(0, bytes, 3), residue, n_words) ==
				crc32_add(0, bytes, 3 + 4 * n_words),
			"%zu words", n_words);
	}
}

int main(void)
{
	check_residue();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n = strlen(cases[i].text);

		CHECK(crc32_add(0, cases[i].text, n) == cases[i].crc32, "'%s'", cases[i].text);
		for (size_t cut = 0; cut <= n; cut++) {
			uint32_t head = crc32_add(0, cases[i].text, cut);

			CHECK(crc32_add(head, cases[i].text + cut, n - cut) == cases[i].crc32,
				"'%s' cut at %zu", cases[i].text, cut);
		}
	}
	return test_end();
}
