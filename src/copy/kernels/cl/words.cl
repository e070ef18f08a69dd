// SPDX-License-Identifier: MIT
#if W <= 2 && V > 1 && V * W <= 8
#define READS_WORDS /* the kernel can read a contiguous run in words */
/* V adjacent items at any address: the aligned words that contain them, perhaps one more, shifted. */
INLINE vec load_words(ulong address)
{
	__global const uint *from = (__global const uint *)(address & ~3ul);
	uint bits = (uint)address * 8 % 32;

#if V * W == 4
	return funnel(from[0], from[1], bits);
#else
	uint middle = from[1];

	return (uint2)(funnel(from[0], middle, bits), funnel(middle, from[2], bits));
#endif
}
#endif
