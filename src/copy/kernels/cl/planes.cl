// SPDX-License-Identifier: MIT
/*
 * For INTERLEAVE and DEINTERLEAVE, which copy between N planes and lines that hold the items of all planes at each
 * position, in blocks of 16 bytes (V items). 1 << t1 work-items copy one part of a line, and a group copies as many
 * lines as fit. t0: parts of a line; total: lines; begin, end: the range of the source in bytes, relative to its offset.
 */

#define LANES (1u << (uint)t1)

/* The first n of V adjacent items, one by one. Not unrolled, since few blocks need it. */
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
 * The first n of V adjacent items, at any address: from the aligned blocks that contain them, unless a block is partly outside
 * the source. The rest of the result is undefined.
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

/* load_block() in a kernel, or one load if all blocks are aligned. */
#define LOAD_BLOCK(FROM, n)                                \
	((n) >= V && flags & KERNEL_FLAG_SRC_VECTORS                   \
			? LOAD(vec, FROM)                  \
			: load_block(FROM, n, src + (soff + begin), src + (soff + end)))

/*
 * Stores the aligned block of memory that ends in block i of a line. The line has n blocks in local memory, n_bytes of them
 * valid. A partial block is stored item by item; block 0 also stores what remains after the last aligned block.
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
