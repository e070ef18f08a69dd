// SPDX-License-Identifier: MIT
/* CRC-32 as in zlib, gzip and PNG (polynomial 0xEDB88320). */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The sum of more bytes after those that gave crc; start with 0. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n_bytes);

#endif
