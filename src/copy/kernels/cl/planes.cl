// SPDX-License-Identifier: MIT
/*
 * For INTERLEAVE and DEINTERLEAVE: N planes of items and lines in which each position has an item of every plane, in
 * blocks of 16 bytes: V items. A group has 1 << t1 work-items for a part of a line, and as many lines as there are
 * such parts in it. t0: parts of a line; total: lines; begin, end: the bytes of the source, from its offset on.
 */

#define LANES (1u << (uint)t1)

/* The first n of V neighbouring items, one by one: in a loop, since few blocks need it. */
INLINE vec load_end(__global const uchar *from, int n)
{
	vec x = 0;

#pragma nounroll
	for (int i = 0; i < V; i++) {
		item value = i < n ? LOAD(item, from + i * W) : 0;

#if W == 8
		x = (vec)(x.zw, (uint)value, (uint)(value >> 32));
#elif W == 4
		x = (vec)(x.yzw, value);
#else
		x = (vec)(funnel(x.x, x.y, 8 * W), funnel(x.y, x.z, 8 * W), funnel(x.z, x.w, 8 * W),
			(x.w >> (8 * W)) | ((uint)value << (32 - 8 * W)));
#endif
	}
	return x;
}

/*
 * The first n of V neighbouring items, at any address: from the aligned blocks that hold them, unless these are partly outside
 * of the source. What follows the items in the block is not defined.
 */
INLINE vec load_block(__global const uchar *from, int n, __global const uchar *first, __global const uchar *last)
{
	uint past = (uint)(ulong)from & 15;
	__global const uchar *low = from - past, *high = low + (past + (uint)(n < V ? n : V) * W > 16 ? 16 : 0);

	if (n <= 0)
		return 0;
	if (low >= first && high + 16 <= last)
		return across(LOAD(vec, low), LOAD(vec, high), past);
	return load_end(from, n);
}

/* The same in a kernel, whose flags tell whether all blocks are aligned. */
#define LOAD_BLOCK(FROM, n)                                \
	((n) >= V && flags & KERNEL_FLAG_SRC_VECTORS                   \
			? LOAD(vec, FROM)                  \
			: load_block(FROM, n, src + (soff + begin), src + (soff + end)))

/*
 * Stores block i of a line of n blocks in local memory, which has n_bytes, as the aligned block of memory that holds most of
 * it before it: whole, or the items of it that exist. The first block of memory and what remains for the last are stored together.
 */
INLINE void store_block(__global uchar *to, __local const vec *line, uint i, uint n, int n_bytes)
{
	uint past = (uint)(ulong)to & 15;
	int at = (int)(i * 16) - (int)past;
	__local const item *items = (__local const item *)line;

	if (at >= 0 && at + 16 <= n_bytes) {
		STORE(vec, to + at) = past ? across(line[i - 1], line[i], 16 - past) : line[i];
		return;
	}
#pragma unroll
	for (int k = 0; k < V; k++) {
		int p = at + k * W;

		p += p < 0 ? (int)(n * 16) : 0;
		if (p < n_bytes)
			STORE(item, to + p) = items[p / W];
	}
}
