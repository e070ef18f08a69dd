// SPDX-License-Identifier: MIT
/* CRC-32 against published values, whole and in pieces. */
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

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
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
