// SPDX-License-Identifier: MIT
/*
 * BLOCK: any layout, in boxes of items. A box contains a run along the source (X) and a run along the destination (Y),
 * each of up to four dimensions. It is read along X, one row for each position of the dimensions that only Y has (R),
 * kept in local memory, and written along Y, one row for each position of the dimensions that only X has (Q). One
 * dimension of X and one of Y may be cut into several boxes: they are the first and the second of the tile loops and
 * the last of their runs, and their last box may be short. If X and Y end with the same dimension, only that one may be
 * cut (KERNEL_FLAG_CUT_BOTH); it is the first of the tile loops.
 *
 * Offsets, and places in local memory, along runs of several dimensions are computed once for a group, in tables that
 * occupy local memory until the items arrive.
 *
 * Source rows of adjacent items (KERNEL_FLAG_SRC_WORDS) are read as words unless they are read as vectors.
 *
 * A run of adjacent items of one or two bytes that is the only row of its side may be longer than all lanes
 * (KERNEL_FLAG_LONG_X, KERNEL_FLAG_LONG_Y). Its rows are then parts of lanes * V items, of which the last may be short;
 * R and Q lead from part to part, and the parts of a long X are adjacent in local memory. A long Y is written in
 * aligned vectors of memory: its first part begins `past` items after the start of the first vector.
 *
 * pitch: items from one row of the box to the next in local memory; lanesX, lanesY: vectors of a row; inside, n_inside:
 * the first offset, relative to soff, of a box that IS_INSIDE, and the number of such offsets. nC, eC: extent of a cut
 * dimension, and its extent in a box; x, q, y and rC: items of a row and number of rows for each index of it. X, R:
 * counts and source strides; Y, Q: counts, destination strides and strides in local memory, in items; tiles: counts,
 * source and destination strides.
 */

#define TILE_VECTORS (ITEMS * N + ITEMS * N / 8)
#define AT_ONCE 4 /* rows whose items a work-item loads together */
BLOCK_KERNEL
{
	__local vec tile[TILE_VECTORS];
	__local ulong row_from[BLOCK_MAX_ROWS], row_to[BLOCK_MAX_ROWS]; /* addresses */
	__local int row_place[BLOCK_MAX_ROWS];
	__local item *items = (__local item *)tile;
	__local int *x_table = (__local int *)tile, *y_table, *place_table; /* until the items arrive */
	uint t = LOCAL_ID, n_x, n_y, n_rows_x, n_rows_y, row, lane, rows, row_y, lane_y, rows_y;
	uint first_y, step_y, at, left, n_table, n_whole;
	bool neighbours = flags & KERNEL_FLAG_SRC_WORDS; /* along X */
	int x_from[V], y_to[V], place[V];
	vec x[N];
	int n, n_lane_y, first_place;
	LOCAL_TILES
	uint j, k; /* as in TRANSPOSE */
#ifdef READS_WORDS
	uint past = 0; /* items from the start of the first vector of a long Y to its first item */
#endif

	FIND_TILES
	n_x = cut(nC0, eC0, tile0, xC0);
	n_y = cut(nC1, eC1, flags & KERNEL_FLAG_CUT_BOTH ? tile0 : tile1, yC1);
	n_rows_y = flags & KERNEL_FLAG_CUT_BOTH ? (uint)qC0 : cut(nC0, eC0, tile0, qC0);
	n_rows_x = flags & KERNEL_FLAG_CUT_BOTH ? (uint)rC1 : cut(nC1, eC1, tile1, rC1);
	n_table = n_y;
#ifdef READS_WORDS
	if (flags & KERNEL_FLAG_LONG_X)
		n_rows_x = divide((n_x + V - 1) / V + (uint)lanesX - 1, lanesX);
	if (flags & KERNEL_FLAG_LONG_Y) {
		n_rows_y = divide((n_y + 2 * V - 2) / V + (uint)lanesY - 1, lanesY);
		n_table = (uint)lanesY * V < n_y ? (uint)lanesY * V : n_y;
	}
#endif
	if (t < n_rows_x) {
		FIND_FROM
		i = t;
		R_OFFSET(i, offset)
		row_from[t] = (ulong)(src + offset);
	}
	row = divide(t, lanesX);
	lane = t - row * (uint)lanesX;
	rows = divide(ITEMS, lanesX);
	n = row < rows ? (int)n_x - (int)(lane * V) : 0;
#ifdef READS_WORDS
	if (flags & KERNEL_FLAG_LONG_X)
		n = row < rows ? (int)n_x - (int)(t * V) : 0;
#endif
	y_table = x_table + ((uint)nX1 > 1 && !neighbours ? n_x : 0);
	place_table = y_table + n_table;
	if ((uint)nX1 > 1 && !neighbours)
		for (k = ITEMS - 1 - t; k < n_x; k += ITEMS) { /* by other warps than those that compute rows */
			int x_offset = 0;

			i = k;
			X_OFFSET(i, x_offset)
			x_table[k] = x_offset;
		}
	BARRIER();
#pragma unroll
	for (j = 0; j < V; j++) {
		uint at = lane * V + j;

		at = at < n_x ? at : 0;
		x_from[j] = (uint)nX1 > 1 && !neighbours ? x_table[at] : (int)at * (int)sX0;
	}
#ifdef READS_WORDS
	if (neighbours && !(flags & KERNEL_FLAG_SRC_VECTORS) && IS_INSIDE) {
#pragma unroll
		for (k = 0; k < N; k++) {
			uint r = row + k * rows;

			x[k] = load_words(row_from[r < n_rows_x ? r : 0] + (ulong)(long)x_from[0]);
		}
	} else
#endif
	if (V > 1 && flags & KERNEL_FLAG_SRC_VECTORS && (!(flags & KERNEL_FLAG_LONG_X) || IS_INSIDE)) {
#pragma unroll
		for (k = 0; k < N; k++) {
			uint r = row + k * rows;

			x[k] = (vec)0;
			if (n > 0 && r < n_rows_x)
				x[k] = load_items((__global const uchar *)(row_from[r] + (ulong)(long)x_from[0]), W, n, true);
		}
	} else if (!(flags & KERNEL_FLAG_LONG_X)) {
#if W < 4
		/* Without branches, so that items need not arrive before the next are requested: the first
		   item of the box in place of those that it lacks. */
#pragma unroll
		for (k = 0; k < N; k += AT_ONCE)
			if (k * rows < n_rows_x) {
				item loaded[AT_ONCE * V];

#pragma unroll
				for (j = 0; j < AT_ONCE * V; j++) {
					uint r = row + (k + j / V) * rows;

					r = n > 0 && r < n_rows_x ? r : 0;
					loaded[j] = LOAD(item, row_from[r] + (ulong)(long)x_from[j % V]);
				}
#pragma unroll
				for (j = 0; j < AT_ONCE; j++) {
					x[k + j] = (vec)0;
#pragma unroll
					for (int i = 0; i < V; i++)
						put_item(&x[k + j], i, loaded[j * V + i]);
				}
			}
#else
#pragma unroll
		for (k = 0; k < N; k++) {
			uint r = row + k * rows;

			x[k] = (vec)0;
			if (n > 0 && r < n_rows_x) {
				__global const uchar *at = (__global const uchar *)row_from[r];

#pragma unroll
				for (int i = 0; i < V; i++)
					if (i < n)
						put_item(&x[k], i, LOAD(item, at + x_from[i]));
			}
		}
#endif
	}
	/* While the items are on their way: */
	if ((uint)nY1 > 1)
		for (k = ITEMS - 1 - t; k < n_table; k += ITEMS) {
			int y_offset = 0;

			first_place = 0;
			i = k;
			Y_OFFSET(i, y_offset)
			i = k;
			Y_PLACE(i, first_place)
			y_table[k] = y_offset;
			place_table[k] = first_place;
		}
	if (t < n_rows_y) {
		FIND_TO
		i = t;
		Q_OFFSET(i, offset)
		row_to[t] = (ulong)(dst + offset);
		first_place = 0;
		i = t;
		Q_PLACE(i, first_place)
		row_place[t] = first_place;
	}
	row_y = divide(t, lanesY);
	lane_y = t - row_y * (uint)lanesY;
	rows_y = divide(ITEMS, lanesY);
	/* Items of a vector, or those that neighbouring work-items store at the same time. */
	step_y = V > 1 && flags & KERNEL_FLAG_DST_VECTORS ? 1 : (uint)lanesY;
	first_y = V > 1 && flags & KERNEL_FLAG_DST_VECTORS ? lane_y * V : lane_y;
	n_lane_y = row_y < rows_y ? (int)n_y - (int)first_y : 0;
	BARRIER_IF((flags & KERNEL_FLAG_LONG_Y) || (uint)nY1 > 1);
#ifdef READS_WORDS
	if (flags & KERNEL_FLAG_LONG_Y) {
		past = (uint)row_to[0] % (V * W) / W;
#pragma unroll
		for (j = 0; j < V; j++) {
			bool before = lane_y * V + j < past; /* in the previous row */
			uint at = lane_y * V + j - past + (before ? (uint)lanesY * V : 0);

			place[j] = place_table[at < n_table ? at : 0] - (before ? (int)pQ0 : 0);
		}
	} else
#endif
#pragma unroll
		for (j = 0; j < V; j++) {
			uint at = first_y + j * step_y;

			y_to[j] = (uint)nY1 > 1 ? y_table[at < n_y ? at : 0] : (int)at * (int)dY0;
			place[j] = (uint)nY1 > 1 ? place_table[at < n_y ? at : 0] : (int)at * (int)pY0;
		}
	BARRIER();
	at = row * ((uint)pitch / V) + lane;
	left = n > 0 ? n_rows_x : 0;
#ifdef READS_WORDS
	if (flags & KERNEL_FLAG_LONG_X && !IS_INSIDE) {
		left = 0;
		for (k = t; k < n_x; k += ITEMS)
			items[k] = swap_item(LOAD(item, row_from[0] + k * W), (uint)swap);
	}
#endif
#pragma unroll
	for (k = 0; k < N; k++) {
		if (row < left)
			tile[at] = swap_items(x[k], (uint)swap);
		at += rows * ((uint)pitch / V);
		row += rows;
	}
	BARRIER();
	n_whole = n_rows_y;
#ifdef READS_WORDS
	if (flags & KERNEL_FLAG_LONG_Y) {
		int last = (int)(n_y + past) - (int)(lane_y * V + V);

		n_rows_y = row_y < rows_y ? n_rows_y : 0;
		n_whole = last < 0 || (t == 0 && past > 0) ? 0 : divide((uint)last / V, lanesY) + 1;
		n_whole = n_whole < n_rows_y ? n_whole : n_rows_y;
		y_to[0] = ((int)(lane_y * V) - (int)past) * W;
		n_lane_y = V;
	}
#endif
	if (V > 1 && n_lane_y >= V && flags & (KERNEL_FLAG_DST_VECTORS | KERNEL_FLAG_LONG_Y)) {
#pragma unroll
		for (k = 0; k < N; k++) {
			uint r = row_y + k * rows_y;
			vec v = (vec)0;

			if (r < n_whole) {
				__global uchar *target = (__global uchar *)row_to[r];
				int first = row_place[r];

#pragma unroll
				for (int i = 0; i < V; i++)
					put_item(&v, i, items[first + place[i]]);
				STORE(vec, target + y_to[0]) = v;
			}
		}
#ifdef READS_WORDS
		/* The first vector of a long Y, and the last. */
#pragma unroll 1
		for (; flags & KERNEL_FLAG_LONG_Y && row_y < n_rows_y; row_y += rows_y) {
			int at_y = (int)((row_y * (uint)lanesY + lane_y) * V - past);

			if (row_y < n_whole)
				continue;
#pragma unroll
			for (int i = 0; i < V; i++)
				if ((uint)(at_y + i) < n_y)
					STORE(item, row_to[row_y] + (ulong)(long)(y_to[0] + i * W)) =
						items[row_place[row_y] + place[i]];
		}
#endif
		return;
	}
#if W < 4
#pragma unroll 4
#else
#pragma unroll
#endif
	for (k = 0; k < N; k++) {
		uint r = row_y + k * rows_y;

		if (n_lane_y > 0 && r < n_rows_y) {
			__global uchar *target = (__global uchar *)row_to[r];
			int first = row_place[r];

#pragma unroll
			for (int i = 0; i < V; i++)
				if (i * (int)step_y < n_lane_y)
					STORE(item, target + y_to[i]) = items[first + place[i]];
		}
	}
}
