// SPDX-License-Identifier: MIT
/* GATHER: any strides. Each work-item copies N vectors of V items of A. t0: vectors along A; total: vectors. */

KERNEL
{
	uint first = GROUP_ID * (ITEMS * N) + LOCAL_ID, unit = (uint)swap;
	__global uchar *target[N];
	int n[N];
	vec x[N];

#pragma unroll
	for (uint u = 0; u < N; u++) {
		uint i = first + u * ITEMS, z = divide(i, t0), a = (i - z * (uint)t0) * V;
		long from = soff + TIMES(a, sA), to = doff + TIMES(a, dA);

		n[u] = i >= (uint)total ? 0 : V == 1 ? 1 : (int)((uint)nA - a);
		if (n[u]) {
			if (z) {
				STEP(z, nB, sB, dB)
				REST(z)
			}
			x[u] = load_items(src + from, sA, n[u], V == 1 || flags & KERNEL_FLAG_SRC_VECTORS);
		}
		target[u] = dst + to;
	}
#pragma unroll
	for (uint u = 0; u < N; u++)
		if (n[u])
			store_items(target[u], dA, n[u], V == 1 || flags & KERNEL_FLAG_DST_VECTORS, swap_items(x[u], unit));
}
