// SPDX-License-Identifier: MIT
/* Random numbers of tests: the same sequence on every machine. */
#ifndef BASE_RANDOM_TEST_H
#define BASE_RANDOM_TEST_H

#include <stdint.h>

static uint64_t random_state; /* not 0 */

/* From 0 to n - 1, by xorshift64. */
static int64_t pick(int64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (int64_t)(random_state % (uint64_t)n);
}

#endif
