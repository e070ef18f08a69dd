// SPDX-License-Identifier: MIT
/*
 * A fake libcuda.so.1 whose cuGetProcAddress() finds another function at each call, as drivers do
 * for other versions: the n-th returns n, in place of a status, if its arguments are those of the
 * test, and succeeds if the first is zero, the address of the only device memory.
 */
#include <stdint.h>

#define API __attribute__((visibility("default")))
#define NUMBERED(N)                                                                              \
	static int numbered_##N(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, \
		uintptr_t f, uintptr_t g, uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k,    \
		uintptr_t l)                                                                     \
	{                                                                                        \
		return !a ? 0                                                                    \
		       : a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 &&   \
				       h == 8 && i == 9 && j == 10 && k == 11 && l == 12         \
			       ? 0##N + 1                                                        \
			       : -1;                                                             \
	}
#define ROW(F, N) F(N##0) F(N##1) F(N##2) F(N##3) F(N##4) F(N##5) F(N##6) F(N##7)
#define ALL(F)                                                                               \
	ROW(F, 0)                                                                            \
	ROW(F, 1) ROW(F, 2) ROW(F, 3) ROW(F, 4) ROW(F, 5) ROW(F, 6) ROW(F, 7) ROW(F, 10)     \
		ROW(F, 11) ROW(F, 12) ROW(F, 13) ROW(F, 14) ROW(F, 15) ROW(F, 16) ROW(F, 17) \
			ROW(F, 20)
#define NAME(N) numbered_##N,

ALL(NUMBERED)

static int (*const functions[])(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t) = { ALL(NAME) };

API int cuPointerGetAttribute(void *value, int attribute, uintptr_t pointer)
{
	if (pointer || attribute != 2)
		return 1;
	*(unsigned int *)value = 2;
	return 0;
}

API int cuGetProcAddress_v2(
	const char *name, void **out, int version, uint64_t flags, void *symbol_status)
{
	static unsigned int n;

	(void)name, (void)version, (void)flags, (void)symbol_status;
	*out = (void *)functions[n++ % (sizeof(functions) / sizeof(functions[0]))];
	return 0;
}
