// SPDX-License-Identifier: MIT
/* Neighbouring items of one and two bytes at any address. */

#if W <= 2 && V > 1 && V * W <= 8
#define READS_WORDS /* can do so, of a run of neighbours */
/* V neighbouring items at any address: the words of memory that hold them and perhaps the one behind, shifted. */
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
