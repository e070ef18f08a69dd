// SPDX-License-Identifier: MIT
#ifndef BASE_BYTE_SIZE_H
#define BASE_BYTE_SIZE_H

#include <stdint.h>

/* The binary unit of a number of bytes, "bytes" below 1024; *size is the number in it. */
const char *byte_size_scale(uint64_t n_bytes, double *size);

#endif
