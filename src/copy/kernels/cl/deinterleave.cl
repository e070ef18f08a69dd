// SPDX-License-Identifier: MIT
/* DEINTERLEAVE: the inverse of INTERLEAVE: A runs along a plane, B over the N planes. */

KERNEL
{
	__local vec tile[ITEMS * N];
	uint t = LOCAL_ID, g = GROUP_ID, lane = t & (LANES - 1), row = divide(g, t0);
	uint a0 = (g - row * (uint)t0) * (LANES * V), z = row * (ITEMS / LANES) + t / LANES;
	bool there = z < (uint)total;
	int left = there ? (int)(uint)nA - (int)a0 : 0;
	long from = soff + TIMES(a0, N * W), to = doff + TIMES(a0, W);
	vec in[N], out[N];

	if (there)
		REST(z)
#pragma unroll
	for (uint c = 0; c < N; c++) {
		uint i = lane + c * LANES;
		int n = left * N - (int)(i * V);
		__global const uchar *block = src + (from + (long)i * 16);

		tile[(t - lane) * N + i] = swap_items(LOAD_BLOCK(block, n), (uint)swap);
	}
	BARRIER();
#pragma unroll
	for (uint c = 0; c < N; c++)
		in[c] = tile[t * N + c], out[c] = 0;
#pragma unroll
	for (uint i = 0; i < N * V; i++)
		put_item(&out[i % N], i / N, get_item(in[i / V], i % V));
	if (flags & KERNEL_FLAG_DST_VECTORS) {
#pragma unroll
		for (uint c = 0; c < N; c++)
			store_items(dst + (to + TIMES(c, dB) + (long)lane * 16), W,
				left - (int)(lane * V), true, out[c]);
		left = 0; /* nothing is stored below */
		RETURN_BEFORE_BARRIER
	}
	BARRIER();
#pragma unroll
	for (uint c = 0; c < N; c++)
		tile[c * ITEMS + t] = out[c];
	BARRIER();
	left = (left < (int)(LANES * V) ? left : (int)(LANES * V)) * W;
#pragma unroll
	for (uint c = 0; c < N; c++)
		store_block(dst + (to + TIMES(c, dB)), tile + (c * ITEMS + t - lane), lane, LANES, left);
}
