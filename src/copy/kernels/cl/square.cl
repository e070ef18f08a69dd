// SPDX-License-Identifier: MIT
/*
 * SQUARE: each work-item transposes a square of V by V items in registers. It reads V vectors along B and writes V
 * aligned vectors along A. Without KERNEL_FLAG_SRC_VECTORS, which only kernels for items of one and two bytes support,
 * source vectors may have any address and are read as words, and the last square along B may be incomplete.
 *
 * nA consecutive work-items copy adjacent squares along A, the next nA the squares after these along B. nA: squares
 * along A in a part; nB: squares along B; t0: parts along A; t1: squares along A; total: work-items; high half of
 * flags: items of the last square along B; begin, end: the range of the source in bytes, relative to its offset.
 */

#ifdef READS_WORDS
/* The first n of V adjacent items, one by one. Not unrolled, since few vectors need it. */
INLINE vec load_last(__global const uchar *from, int n)
{
	vec x = 0;

#pragma nounroll
	for (int i = 0; i < V; i++) {
		uint value = i < n ? LOAD(item, from + i * W) : 0;

#if V * W == 4
		x = (x >> (8 * W)) | (value << (32 - 8 * W));
#else
		x = (vec)(funnel(x.x, x.y, 8 * W), (x.y >> (8 * W)) | (value << (32 - 8 * W)));
#endif
	}
	return x;
}

/* Whether all words that load_words() reads are in the source. */
#define HAS_WORDS(FROM)                                           \
	(((ulong)(FROM) & ~3ul) >= (ulong)(src + (soff + begin)) && \
		((ulong)(FROM) & ~3ul) + (V * W + 4) <= (ulong)(src + (soff + end)))
#endif

KERNEL
{
	uint i = GROUP_ID * ITEMS + LOCAL_ID, unit = (uint)swap;
	uint square = scale(i, (uint)(nA >> 32), (uint)(sA >> 32)), a = i - square * (uint)nA;
	uint part = scale(square, (uint)(nB >> 32), (uint)(sB >> 32)), b = square - part * (uint)nB;
	uint z = divide(part, t0);
	int n = b + 1 == (uint)nB ? (int)(flags >> 32) : V;
	long from = soff + TIMES(b, V * W), to = doff + TIMES(b * V, dB);
	vec x[V];

	a += (part - z * (uint)t0) * (uint)nA;
	if (i >= (uint)total || a >= (uint)t1)
		return;
	from += TIMES(a * V, sA);
	to += TIMES(a, V * W);
	REST(z)
#ifdef READS_WORDS
	if (!(flags & KERNEL_FLAG_SRC_VECTORS)) {
		if (HAS_WORDS(src + from) && HAS_WORDS(src + (from + TIMES(V - 1, sA)))) {
#pragma unroll
			for (int k = 0; k < V; k++)
				x[k] = load_words((ulong)(src + (from + TIMES(k, sA))));
		} else {
#pragma unroll
			for (int k = 0; k < V; k++)
				x[k] = load_last(src + (from + TIMES(k, sA)), n);
		}
	} else
#endif
#pragma unroll
		for (int k = 0; k < V; k++)
			x[k] = LOAD(vec, src + (from + TIMES(k, sA)));
#pragma unroll
	for (int k = 0; k < V; k++)
		x[k] = swap_items(x[k], unit);
	turn(x);
#pragma unroll
	for (int k = 0; k < V; k++)
		if (k < n)
			STORE(vec, dst + (to + TIMES(k, dB))) = x[k];
}
