// SPDX-License-Identifier: MIT
/* Reversing the bytes of items: what all instruction sets share. */
#include "copy/host/host_engine.h"

#include <string.h>

void host_swap_plain(char *dst, const char *src, int64_t n_bytes, int64_t unit)
{
	uint64_t word;
	uint32_t half;

	for (; unit == 8 && n_bytes >= 8; n_bytes -= 8, src += 8, dst += 8) {
		memcpy(&word, src, sizeof(word));
		word = __builtin_bswap64(word);
		memcpy(dst, &word, sizeof(word));
	}
	for (; unit == 4 && n_bytes >= 4; n_bytes -= 4, src += 4, dst += 4) {
		memcpy(&half, src, sizeof(half));
		half = __builtin_bswap32(half);
		memcpy(dst, &half, sizeof(half));
	}
	for (int64_t first = 0; first + unit <= n_bytes; first += unit)
		for (int64_t low = 0, high = unit - 1; low <= high; low++, high--) {
			char byte = src[first + low];

			dst[first + low] = src[first + high];
			dst[first + high] = byte;
		}
}

const unsigned char host_swap_orders[HOST_ITEM_LOGS][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14 },
	{ 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12 },
	{ 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8 },
	{ 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 },
};
