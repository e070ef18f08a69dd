// SPDX-License-Identifier: MIT
#include "base/utf8.h"

size_t utf8_truncated(const char *bytes, size_t n_bytes, size_t max_bytes)
{
	if (n_bytes <= max_bytes)
		return n_bytes;
	while (max_bytes && utf8_continues(bytes[max_bytes]))
		max_bytes--;
	return max_bytes;
}

size_t utf8_from_point(uint32_t point, char bytes[4])
{
	static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
	const size_t n_more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;

	for (size_t i = n_more; i > 0; i--, point >>= 6)
		bytes[i] = (char)(0x80 | (point & 0x3F));
	bytes[0] = (char)(first[n_more] | point);
	return n_more + 1;
}
