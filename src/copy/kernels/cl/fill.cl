// SPDX-License-Identifier: MIT
/*
 * FILL: rows of nA bytes that are contiguous in the destination and repeat one item of the source. Arguments and blocks
 * are those of ROWS.
 */

INLINE uint4 repeat(item x)
{
#if W == 1
	return (uint4)(x * 0x01010101u);
#elif W == 2
	return (uint4)(x * 0x00010001u);
#elif W == 4
	return (uint4)(x);
#elif W == 8
	return as_uint4((ulong2)(x));
#else
	return x;
#endif
}

/* Not unrolled: that would take up to 1.5 times as long, and would be a sixth of the code of all kernels. */
KERNEL
{
	uint t = LOCAL_ID, g = GROUP_ID, line = divide(g, t0), lanes = 1u << t1;
	uint rows = ITEMS >> t1, unit = (uint)swap;
	bool along = flags & KERNEL_FLAG_ALONG;
	uint column = (g - line * (uint)t0) * (along ? lanes * N : lanes) + (t & (lanes - 1));
	uint row = line * (along ? rows : rows * N) + (t >> t1);
	int n_bytes = (int)(uint)nA;
	__global uchar *target = dst;
	item x = 0;

#pragma nounroll
	for (uint u = 0; u < N; u++) {
		int first;

		if (u == 0 || !along) {
			uint z = row + u * rows;
			long from = soff, to = doff;

			if (z >= (uint)total)
				return;
			STEP(z, nB, sB, dB)
			REST(z)
			target = dst + to;
			x = swap_item(LOAD(item, src + from), unit);
		}
		first = (int)((along ? column + u * lanes : column) * 16) -
			(int)((ulong)target & 15);
		if (first >= 0 && first <= n_bytes - 16) {
			STORE(uint4, target + first) = repeat(x);
			continue;
		}
#if W < 16
#pragma unroll
		for (int i = 0; i < 16; i += W)
			if (first + i >= 0 && first + i < n_bytes)
				STORE(item, target + first + i) = x;
#endif
	}
}
