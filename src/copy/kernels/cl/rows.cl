// SPDX-License-Identifier: MIT
/*
 * ROWS: rows of nA bytes that are contiguous on both sides. REVERSE: the same, but the source is read backwards. Each
 * work-item copies N blocks of 16 bytes, aligned in the destination: in consecutive rows or, with KERNEL_FLAG_ALONG, in
 * one row. The source is read in aligned blocks within the row, all of them before the first store. t0: groups along
 * the row; t1: log2 of the work-items along it; total: rows.
 */

INLINE uint4 in_order(uint4 x, uint unit)
{
#ifdef REVERSE
	x = x.wzyx;
#if W == 1
	x = (uint4)(swap_word(x.x, 4), swap_word(x.y, 4), swap_word(x.z, 4), swap_word(x.w, 4));
#elif W == 2
	x = (x << 16) | (x >> 16);
#endif
#endif
	return unit ? swap_vector(x, unit) : x;
}

KERNEL
{
	uint t = LOCAL_ID, g = GROUP_ID, line = divide(g, t0), lanes = 1u << t1;
	uint rows = ITEMS >> t1, unit = (uint)swap;
	bool along = flags & KERNEL_FLAG_ALONG, there = false;
	uint column = (g - line * (uint)t0) * (along ? lanes * N : lanes) + (t & (lanes - 1));
	uint row = line * (along ? rows : rows * N) + (t >> t1);
	int n_bytes = (int)(uint)nA, first[N];
	__global const uchar *source[N];
	__global uchar *target[N];
	bool whole[N];
	uint4 x[N];
	uint4 next[N];
	uint past[N];

#pragma unroll
	for (uint u = 0; u < N; u++) {
		if (u == 0 || !along) {
			uint z = row + u * rows;
			long from = soff, to = doff;

			there = z < (uint)total;
			if (there) {
				STEP(z, nB, sB, dB)
				REST(z)
			}
			source[u] = src + from;
			target[u] = dst + to;
		} else {
			source[u] = source[u ? u - 1 : 0];
			target[u] = target[u ? u - 1 : 0];
		}
		first[u] = (int)((along ? column + u * lanes : column) * 16) -
			   (int)((ulong)target[u] & 15);
		if (!there)
			first[u] = n_bytes;
		whole[u] = first[u] >= 0 && first[u] <= n_bytes - 16;
	}
#pragma unroll
	for (uint u = 0; u < N; u++) {
#ifdef REVERSE
		int at = n_bytes - 16 - first[u];
		__global const uchar *low = source[u] + (W - n_bytes);
#else
		int at = first[u];
		__global const uchar *low = source[u];
#endif

		past[u] = (uint)((ulong)low + (ulong)(long)at) & 15;
		whole[u] = whole[u] && at >= (int)past[u] &&
			   (past[u] == 0 || at - (int)past[u] <= n_bytes - 32);
		x[u] = (uint4)0;
		next[u] = (uint4)0;
		if (whole[u]) {
			low += at - (int)past[u];
			x[u] = LOAD(uint4, low);
			next[u] = LOAD(uint4, low + (past[u] ? 16 : 0));
		}
	}
#pragma unroll
	for (uint u = 0; u < N; u++) {
		if (whole[u]) {
			x[u] = in_order(across(x[u], next[u], past[u]), unit);
			STORE(uint4, target[u] + first[u]) = x[u];
			continue;
		}
#pragma unroll
		for (int i = 0; i < 16 / W; i++) {
			int at = first[u] + i * W;

			if (at < 0 || at >= n_bytes)
				continue;
#ifdef REVERSE
			STORE(item, target[u] + at) =
				swap_item(LOAD(item, source[u] - at), unit);
#else
			STORE(item, target[u] + at) =
				swap_item(LOAD(item, source[u] + at), unit);
#endif
		}
	}
}
