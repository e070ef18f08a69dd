// SPDX-License-Identifier: MIT
/* CRC-32 as in zlib, gzip and PNG (polynomial 0xEDB88320). */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Updates crc with more bytes; start with 0. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n_bytes);

/*
 * For sums computed in parts: residues modulo the polynomial, bit 31 for 1 and bit 0 for x^31. The
 * product of two, and x to the power of n_bits.
 */
uint32_t crc32_multiply(uint32_t a, uint32_t b);
uint32_t crc32_power(uint64_t n_bits);

/* The sum of n_words little-endian words of 32 bits after those bytes that gave crc, from their
 * residue: these words as digits to the base x^32, the last one times 1. */
uint32_t crc32_add_residue(uint32_t crc, uint32_t residue, uint64_t n_words);

#endif
