// SPDX-License-Identifier: MIT
#include "base/array_size.h"
#include "base/huge_pages.h"

#include "base/test.h"

#include <stdint.h>
#include <stdlib.h>

static const struct {
	size_t n_bytes, alignment;
} cases[] = {
	{ 0, 64 },
	{ 1, 64 },
	{ (1 << 20) - 1, 64 },
	{ 1 << 20, 2 << 20 },
	{ (64 << 20) + 1, 2 << 20 },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n_bytes = cases[i].n_bytes;
		unsigned char *block = huge_pages_allocate(n_bytes);

		CHECK(huge_pages_alignment(n_bytes) == cases[i].alignment, "%zu bytes", n_bytes);
		CHECK(block && (uintptr_t)block % cases[i].alignment == 0, "%zu at %p", n_bytes,
			(void *)block);
		if (block && n_bytes) {
			block[0] = block[n_bytes - 1] = 1;
			huge_pages_advise(block + 1, n_bytes - 1); /* touched, and on no page */
			CHECK(block[0] == 1 && block[n_bytes - 1] == 1, "%zu bytes kept", n_bytes);
		}
		free(block);
	}
	return test_end();
}
