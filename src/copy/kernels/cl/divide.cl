// SPDX-License-Identifier: MIT
/* Division by a product with a reciprocal, and products of 32-bit numbers. */

/* The product of a value and a reciprocal, shifted by at least 31. */
INLINE uint scale(uint value, uint reciprocal, uint shift)
{
#ifdef __NVPTX__
	uint q; /* in assembly, since a shift in OpenCL C is taken modulo 64 by another instruction */

	__asm__("{\n.reg .u64 p;\nmul.wide.u32 p, %1, %2;\nshr.u64 p, p, %3;\ncvt.u32.u64 %0, p;\n}"
		: "=r"(q)
		: "r"(value), "r"(reciprocal), "r"(shift));
	return q;
#else
	return (uint)(((ulong)value * reciprocal) >> shift);
#endif
}

/*
 * A count is n with a reciprocal above it: 32-bit division without dividing, for values < 2^31.
 * Called so often that SPIR-V with it inlined would be a third larger.
 */
#ifdef __NVPTX__
INLINE uint divide(uint value, long count)
{
	uint log2; /* of n - 1, rounded down; -1 for 0 */

	__asm__("bfind.u32 %0, %1;" : "=r"(log2) : "r"((uint)count - 1));
	return scale(value, (uint)(count >> 32), 32 + log2);
}
#else
static uint divide(uint value, long count)
{
	return scale(value, (uint)(count >> 32), 63 - clz((uint)count - 1));
}
#endif

/* Products of indices and strides, both of 32 bits. */
#ifdef __NVPTX__
INLINE long times(int index, int stride)
{
	long x;

	__asm__("mul.wide.s32 %0, %1, %2;" : "=l"(x) : "r"(index), "r"(stride));
	return x;
}
#define TIMES(INDEX, STRIDE) times((int)(INDEX), (int)(STRIDE))
#else
#define TIMES(INDEX, STRIDE) ((long)(int)(INDEX) * (int)(STRIDE))
#endif
