// SPDX-License-Identifier: MIT
/* Unit tests: a program of checks over tables; it prints "N checks" or each failed check. */
#ifndef BASE_TEST_H
#define BASE_TEST_H

#include <stdio.h>

static int test_checks, test_failures;

#define CHECK(condition, ...)                                                  \
	do {                                                                   \
		test_checks++;                                                 \
		if (!(condition)) {                                            \
			test_failures++;                                       \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__);                                   \
			printf("\n");                                          \
		}                                                              \
	} while (0)

static int test_end(void)
{
	printf("%d checks, %d failed\n", test_checks, test_failures);
	return test_failures != 0 || test_checks == 0;
}

#endif
