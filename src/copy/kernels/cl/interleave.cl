// SPDX-License-Identifier: MIT
/* INTERLEAVE: N planes (A) become neighbours; B runs along a plane. planes.cl describes the other arguments. */

KERNEL
{
	__local vec tile[ITEMS * N];
	uint t = LOCAL_ID, g = GROUP_ID, lane = t & (LANES - 1), row = divide(g, t0);
	uint b0 = (g - row * (uint)t0) * (LANES * V), z = row * (ITEMS / LANES) + t / LANES;
	bool there = z < (uint)total;
	int left = there ? (int)(uint)nB - (int)b0 : 0, n = left - (int)(lane * V);
	long from = soff + TIMES(b0 + lane * V, W), to = doff + TIMES(b0, N * W);
	vec in[N], out[N];

	if (there)
		REST(z)
#pragma unroll
	for (uint c = 0; c < N; c++) {
		__global const uchar *plane = src + (from + TIMES(c, sA));

		in[c] = swap_items(LOAD_BLOCK(plane, n), (uint)swap);
		out[c] = 0;
	}
#pragma unroll
	for (uint i = 0; i < N * V; i++)
		put_item(&out[i / V], i % V, get_item(in[i % N], i / N));
#pragma unroll
	for (uint c = 0; c < N; c++)
		tile[t * N + c] = out[c];
	BARRIER();
	left = (left < (int)(LANES * V) ? left : (int)(LANES * V)) * (N * W);
#pragma unroll
	for (uint c = 0; c < N; c++)
		store_block(dst + to, tile + (t - lane) * N, lane + c * LANES, LANES * N, left);
}
