// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE: tiles of N by N vectors, where A is the run along the destination (Y = R) and B the one along the source
 * (X = Q). The tile in local memory has a row for each b, rotated by its block, so that no two work-items of a row or a
 * column access the same bank. All loads of a tile are issued before any block is transposed; what lies outside of the
 * array is loaded from the position of the first block or row instead.
 */

/* Smaller tiles of two-byte items are faster without WORDS, since they need fewer registers. */
#if defined(READS_WORDS) && (W == 1 || N * V > 64)
#define WORDS
/* The last `past` bytes of a, followed by the first bytes of b. */
INLINE vec join(vec a, vec b, uint past)
{
#if V * W == 4
	return funnel_left(a, b, past * 8);
#else
	uint far = past & 4, bits = (past & 3) * 8, x0 = far ? a.x : a.y, x1 = far ? a.y : b.x;

	return (uint2)(funnel_left(x0, x1, bits), funnel_left(x1, far ? b.x : b.y, bits));
#endif
}
#endif

#define ROUNDS (N * N / ITEMS)
#define SIDE (N * V)
BLOCK_KERNEL
{
	__local vec tile[N * V * N];
	__local ulong row_from[SIDE], row_to[SIDE]; /* addresses */
	__local int column_to[SIDE];
	uint t = LOCAL_ID, x = t % N, y = t / N, size_a, size_b, whole_a, whole_b;
	int x_from = 0, column;
	vec block[ROUNDS][V];
	LOCAL_TILES
	uint k; /* SPIR-V forbids the block order that loop variables would produce */

	FIND_TILES
	size_b = cut(nC0, eC0, tile0, xC0);
	size_a = cut(nC1, eC1, tile1, yC1);
	whole_a = size_a % V == 0;
	whole_b = size_b % V == 0;
	if (t < SIDE) { /* rows that do not exist read the first one */
		FIND_FROM
		i = t < size_a ? t : 0;
		R_OFFSET(i, offset)
		row_from[t] = (ulong)(src + offset);
	}
	i = x * V < size_b ? x * V : 0;
	X_OFFSET(i, x_from)
	BARRIER();
	if (whole_a & whole_b & (uint)flags & KERNEL_FLAG_SRC_VECTORS) {
#pragma unroll
		for (k = 0; k < ROUNDS; k++)
#pragma unroll
			for (int i = 0; i < V; i++)
				block[k][i] = LOAD(vec,
					row_from[(y + k * (ITEMS / N)) * V + i] + (ulong)(long)x_from);
#ifdef WORDS
	} else if (IS_INSIDE) {
#pragma unroll
		for (k = 0; k < ROUNDS; k++)
#pragma unroll
			for (int i = 0; i < V; i++)
				block[k][i] = load_words(
					row_from[(y + k * (ITEMS / N)) * V + i] + (ulong)(long)x_from);
#endif
	} else {
#pragma unroll
		for (k = 0; k < ROUNDS; k++) {
			uint a = (y + k * (ITEMS / N)) * V;

#if W == 2
			item loaded[V * V]; /* without branches, as in BLOCK; more registers than W == 1 can have */

#pragma unroll
			for (uint i = 0; i < V * V; i++)
				loaded[i] = LOAD(item,
					row_from[a + i / V] + (ulong)(long)x_from +
						(ulong)TIMES(x * V + i % V < size_b ? i % V : 0, sX0));
#pragma unroll
			for (uint i = 0; i < V; i++) {
				block[k][i] = (vec)0;
#pragma unroll
				for (uint l = 0; l < V; l++)
					put_item(&block[k][i], (int)l, loaded[i * V + l]);
			}
#else
#pragma unroll
			for (int i = 0; i < V; i++)
				block[k][i] = load_items(
					(__global const uchar *)(row_from[a + i] + (ulong)(long)x_from),
					sX0, a + i < size_a ? (int)size_b - (int)(x * V) : 0, V == 1);
#endif
		}
	}
	/* While the items are on their way: */
	if (t < SIDE) {
		column = 0;
		i = t;
		Y_OFFSET(i, column)
		column_to[t] = column;
	}
	if (t >= ITEMS - SIDE) {
		FIND_TO
		i = t - (ITEMS - SIDE);
		Q_OFFSET(i, offset)
		row_to[t - (ITEMS - SIDE)] = (ulong)(dst + offset);
	}
#pragma unroll
	for (k = 0; k < ROUNDS; k++) {
		if (swap) {
#pragma unroll
			for (int i = 0; i < V; i++)
				block[k][i] = swap_items(block[k][i], (uint)swap);
		}
		turn(block[k]);
#pragma unroll
		for (uint i = 0; i < V; i++)
			tile[(x * V + i) * N + (y + k * (ITEMS / N) + x) % N] = block[k][i];
	}
	BARRIER();
#ifdef WORDS
	if (flags & KERNEL_FLAG_DST_WORDS && !(flags & KERNEL_FLAG_DST_VECTORS && size_a % V == 0)) {
		__local const item *items = (__local const item *)tile;
		uint limit = size_a < V ? 0 : (size_a - V) * W + 1;

#pragma unroll 2
		for (k = 0; k < ROUNDS; k++) {
			uint block_b = y + k * (ITEMS / N), b = block_b * V;

#pragma unroll
			for (uint i = 0; i < V; i++) {
				ulong target = row_to[b + i];
				uint past = (uint)target & (V * W - 1), begin = x * (V * W) - past;
				vec before = tile[(b + i) * N + (x + N - 1 + block_b) % N];
				vec here = tile[(b + i) * N + (x + block_b) % N];

				if (b + i < size_b && begin < limit)
					STORE(vec, target + begin) = join(before, here, past);
			}
		}
		/* The items of each row before the first whole vector, and after the last. */
		for (k = t; k < 2 * SIDE; k += ITEMS) {
			uint b = k / 2, past = (uint)row_to[b] & (V * W - 1), a, end;

			end = past ? V - past / W : 0;
			end = end < size_a ? end : size_a;
			a = (size_a * W + past) / (V * W) * V - past / W;
			a = k & 1 ? ((int)a < (int)end ? end : a) : 0;
			end = b < size_b ? (k & 1 ? size_a : end) : 0;
#pragma nounroll
			for (; a < end; a++)
				STORE(item, row_to[b] + a * W) = items[(b * N + (a / V + b / V) % N) * V + a % V];
		}
	} else
#endif
	if (V > 1 && !(flags & KERNEL_FLAG_DST_VECTORS)) { /* adjacent work-items store adjacent items */
		__local const item *items = (__local const item *)tile;
		uint a = t % SIDE, b0 = t / SIDE;
		ulong column = (ulong)(long)column_to[a];

#ifdef WORDS
#pragma unroll 4
#else
#pragma unroll
#endif
		for (k = 0; k < SIDE * SIDE / ITEMS; k++) {
			uint b = b0 + k * (ITEMS / SIDE);

			if (a < size_a && b < size_b)
				STORE(item, column + row_to[b]) =
					items[(b * N + (a / V + b / V) % N) * V + a % V];
		}
	} else {
		ulong column = (ulong)(long)column_to[x * V];

#pragma unroll
		for (k = 0; k < ROUNDS; k++) {
			uint block_b = y + k * (ITEMS / N), b = block_b * V;

#pragma unroll
			for (int i = 0; i < V; i++) {
#ifdef WORDS
				vec v = tile[(block_b * V + i) * N + (x + block_b) % N];

				if (b + i < size_b && x * V < size_a)
					STORE(vec, column + row_to[b + i]) = v;
#else
				store_items((__global uchar *)(column + row_to[b + i]), dY0,
					b + i < size_b ? (int)size_a - (int)(x * V) : 0, true,
					tile[(block_b * V + i) * N + (x + block_b) % N]);
#endif
			}
		}
	}
}
