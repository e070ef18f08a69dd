// SPDX-License-Identifier: MIT
/*
 * FLAT: any strides of the source, and a contiguous destination. Each work-item writes N vectors of V items of the
 * destination, which may span several rows of A. A and B have at least V items together, so that a vector extends into
 * at most one more step of the outer dimensions. All items of a vector are loaded before the first is used. t0: items;
 * total: vectors.
 */

KERNEL
{
	uint first = GROUP_ID * (ITEMS * N) + LOCAL_ID, unit = (uint)swap;
	uint n_a = (uint)nA, n_b = (uint)nB;
	long around = TIMES(1, sB) - TIMES(n_a, sA); /* from the end of a row to the next row */

#pragma unroll
	for (uint u = 0; u < N; u++) {
		uint at = first + u * ITEMS, i = at * V;
		uint row = scale(i, (uint)(nA >> 32), (uint)(sA >> 32)), a = i - row * n_a;
		uint rest = scale(row, (uint)(nB >> 32), (uint)(sB >> 32)), b = row - rest * n_b, z = rest;
		long from = soff, to = 0, place;
		item found[V];
		vec x = 0;
		int n = (int)((uint)t0 - i);

		if (at >= (uint)total)
			return;
		REST(z)
		(void)to; /* computed by REST; here, the index gives the destination */
		place = from + TIMES(b, sB) + TIMES(a, sA);
		if (b * n_a + a + V > n_a * n_b) {
			z = rest + 1;
			from = soff;
			REST(z)
		}
#pragma unroll
		for (int k = 0; k < V; k++) {
			found[k] = 0;
			if (k < n)
				found[k] = LOAD(item, src + place);
			place += TIMES(1, sA);
			a++;
			if (a == n_a) {
				a = 0;
				b++;
				place += around;
				if (b == n_b) {
					b = 0;
					place = from;
				}
			}
		}
#pragma unroll
		for (int k = 0; k < V; k++)
			put_item(&x, k, found[k]);
		store_items(dst + doff + TIMES(i, W), W, n, flags & KERNEL_FLAG_DST_VECTORS, swap_items(x, unit));
	}
}
