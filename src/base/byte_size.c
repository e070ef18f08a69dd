// SPDX-License-Identifier: MIT
#include "base/byte_size.h"

#include "base/array_size.h"

#include <stddef.h>

const char *byte_size_scale(uint64_t n_bytes, double *size)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t unit = 0;

	for (*size = (double)n_bytes; *size >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		*size /= 1024;
	return units[unit];
}
