// SPDX-License-Identifier: MIT
#ifndef BASE_COMMON_DIVISOR_H
#define BASE_COMMON_DIVISOR_H

/* The greatest common divisor of two numbers that are not negative; that of a and 0 is a. */
static inline __int128 common_divisor(__int128 a, __int128 b)
{
	while (b) {
		__int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
