// SPDX-License-Identifier: MIT
/* Division by multiplying with a reciprocal, and products of 32-bit numbers. */

/* (value * reciprocal) >> shift, with a shift of at least 31. */
INLINE uint scale(uint value, uint reciprocal, uint shift)
{
#ifdef __NVPTX__
	uint q; /* in assembly, since OpenCL C needs another instruction to take the shift modulo 64 */

	__asm__("{\n.reg .u64 p;\nmul.wide.u32 p, %1, %2;\nshr.u64 p, p, %3;\ncvt.u32.u64 %0, p;\n}"
		: "=r"(q)
		: "r"(value), "r"(reciprocal), "r"(shift));
	return q;
#else
	return (uint)(((ulong)value * reciprocal) >> shift);
#endif
}

/*
 * value / n for values below 2^31, without a division. The low half of count is n, the high half its reciprocal. Not
 * inlined in SPIR-V, which would be a third larger.
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

/* The 64-bit product of an index and a stride of 32 bits each. */
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
