// SPDX-License-Identifier: MIT
/* CRC-32, eight bytes a step ("slicing by 8"); the tables are made at first use. */
#include "base/crc32.h"

enum { WORD_BITS = 32 };

static const uint32_t one = UINT32_C(1) << 31;
static uint32_t tables[8][256];

static void make_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
		tables[0][i] = crc;
	}
	for (int slice = 1; slice < 8; slice++)
		for (int i = 0; i < 256; i++) {
			uint32_t before = tables[slice - 1][i];

			tables[slice][i] = (before >> 8) ^ tables[0][before & 255];
		}
}

static uint32_t little_endian(const unsigned char *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n_bytes)
{
	const unsigned char *next = bytes;

	if (!tables[7][255])
		make_tables();
	crc = ~crc;
	for (; n_bytes >= 8; n_bytes -= 8, next += 8) {
		uint32_t low = crc ^ little_endian(next), high = little_endian(next + 4);

		crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^
		      tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^ tables[3][high & 255] ^
		      tables[2][high >> 8 & 255] ^ tables[1][high >> 16 & 255] ^
		      tables[0][high >> 24];
	}
	for (; n_bytes; n_bytes--)
		crc = (crc >> 8) ^ tables[0][(crc ^ *next++) & 255];
	return ~crc;
}

uint32_t crc32_multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		product ^= a & one ? b : 0;
		b = (b >> 1) ^ (b & 1 ? UINT32_C(0xEDB88320) : 0);
	}
	return product;
}

uint32_t crc32_power(uint64_t n_bits)
{
	uint32_t power = one, square = one >> 1;

	for (; n_bits; n_bits >>= 1) {
		if (n_bits & 1)
			power = crc32_multiply(power, square);
		square = crc32_multiply(square, square);
	}
	return power;
}

uint32_t crc32_add_residue(uint32_t crc, uint32_t residue, uint64_t n_words)
{
	uint32_t before = crc32_multiply(~crc, crc32_power(n_words * WORD_BITS));

	return ~(before ^ crc32_multiply(residue, crc32_power(WORD_BITS)));
}
