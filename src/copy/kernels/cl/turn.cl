// SPDX-License-Identifier: MIT
/*
 * TURN: like TRANSPOSE, but for runs that are contiguous on both sides and have any length. A tile has lanesX vectors
 * along B and lanesY along A; unless it is SKEWED, the last one along A lies beyond the run. Each work-item transposes N
 * blocks of V by V items. In local memory, consecutive rows along A are `pitch` vectors apart (low half of the
 * parameter), and every 16th row is shifted by its high half, so that work-items store to different banks. The result
 * is written in aligned vectors of memory, each composed of two vectors in local memory; the items at both ends of a
 * row follow.
 *
 * SKEWED: rows along A continue in the previous and the next tile. A tile writes each row from the start of the sector
 * in which its part begins to the start of the sector in which the next part begins, so that no two tiles write to one
 * sector. It therefore also reads the SKEW items before its part. R leads to the whole run.
 *
 * inside, n_inside: of the rows that are read, not of the tile.
 */

#define AT_ONCE 4
#define TILE_VECTORS (ITEMS * N * V * 9 / 8)
#define SKEW (KERNEL_SECTOR_BYTES / W) /* items of a sector */
#ifdef __NVPTX__
/* Predicated instead of a branch, so that several values are computed at the same time. */
INLINE void store_if(uint condition, ulong to, vec x)
{
	__asm__ volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.global.v2.u32 [%1], {%2, %3};\n}"
			 :
			 : "r"(condition), "l"(to), "r"(x.x), "r"(x.y));
}
#else
INLINE void store_if(uint condition, ulong to, vec x)
{
	if (condition)
		STORE(vec, to) = x;
}
#endif
/* The vector that begins at bit `bits` of a and continues in b. */
INLINE vec join_bits(vec a, vec b, uint bits)
{
	bool far = bits & 32;
	uint x0 = far ? a.y : a.x, x1 = far ? b.x : a.y, x2 = far ? b.y : b.x;

	return (uint2)(funnel(x0, x1, bits & 31), funnel(x1, x2, bits & 31));
}
/* Sets from[] to the offsets of the V rows of block row Y. */
#define FIND_ROWS(Y)                                                         \
	_Pragma("unroll")                                                    \
	for (uint l_ = 0; l_ < V / 4; l_++) {                                \
		int4 four = row_from[(Y) * (V / 4) + l_];                    \
                                                                             \
		from[4 * l_] = four.x, from[4 * l_ + 1] = four.y;            \
		from[4 * l_ + 2] = four.z, from[4 * l_ + 3] = four.w;        \
	}
/* Loads each block by LOAD_ROW(address); blocks outside of the tile load its first column and row instead. */
#define LOAD_BLOCKS(LOAD_ROW)                                                              \
	_Pragma("unroll")                                                                  \
	for (k = 0; k < N; k++) {                                                          \
		ulong at = base + (at_x[k] * V < size_b ? at_x[k] * (V * W) : 0);          \
		int from[V];                                                               \
                                                                                           \
		FIND_ROWS(at_y[k] < n_y ? at_y[k] : 0)                                     \
		_Pragma("unroll")                                                          \
		for (uint i = 0; i < V; i++)                                               \
			block[k][i] = LOAD_ROW(at + (ulong)(long)from[i]);                 \
	}
#define LOAD_VECTOR(ADDRESS) LOAD(vec, ADDRESS)
BLOCK_KERNEL
{
	__local vec tile[TILE_VECTORS];
	__local int4 row_from[TURN_MAX_Y / 4]; /* offset from the first row, in bytes */
	__local uint beyond;              /* whether any row is not inside */
	/* For each b: address of the unit in which it begins; place in local memory, and bits to skip
	   there; first byte that is written in vectors, and end of these bytes. */
	__local uint4 rows[TURN_MAX_X];
	__local int *from_table = (__local int *)row_from;
	__local const item *items = (__local const item *)tile;
	uint t = LOCAL_ID, n_x = (uint)lanesX, n_y, n_out = (uint)lanesY, size_a, size_b, first_a;
	uint x, y, step_x, step_y, unit, pitch_b = (uint)pitch, turn_b = (uint)(pitch >> 32), b;
	uint at_x[N], at_y[N];
	bool is_skewed = flags & KERNEL_FLAG_SKEWED, is_first = true, is_last = true;
	ulong base;
	int end;
	vec block[N][V];
	LOCAL_TILES
	uint k; /* as in TRANSPOSE */

	FIND_TILES
	size_b = cut(nC0, eC0, tile0, xC0);
	size_a = cut(nC1, eC1, tile1, yC1);
	first_a = tile1 * (uint)eC1 * (uint)yC1;
	n_y = is_skewed ? n_out : n_out - 1;
	if (t == 0)
		beyond = 0;
	BARRIER();
	FIND_FROM
	base = (ulong)(src + offset);
	for (k = t; k < n_y * V; k += ITEMS) { /* rows that do not exist read the first one */
		int place = 0;

		i = k < size_a ? k : 0;
		if (is_skewed)
			i = k < size_a + SKEW && first_a + k >= SKEW ? first_a + k - SKEW : first_a;
		DIGITS(int, i, place, nR0, sR0, nR1, sR1, nR2, sR2, sR3)
		from_table[k] = place;
		if (base + (ulong)(long)place - (ulong)(src + (soff + inside)) >= (ulong)n_inside)
			beyond = 1;
	}
	y = divide(t, lanesX);
	x = t - y * n_x;
	step_y = divide(ITEMS, lanesX);
	step_x = ITEMS - step_y * n_x;
#pragma unroll
	for (k = 0; k < N; k++) {
		at_x[k] = x;
		at_y[k] = y;
		x += step_x;
		y += step_y;
		if (x >= n_x) {
			x -= n_x;
			y++;
		}
	}
	BARRIER();
	if (size_b % V == 0 && flags & KERNEL_FLAG_SRC_VECTORS) {
		LOAD_BLOCKS(LOAD_VECTOR)
	} else if (!beyond) {
		LOAD_BLOCKS(load_words)
	} else {
#pragma unroll
		for (k = 0; k < N; k++) {
			ulong at = base + at_x[k] * (V * W);
			int from[V];

			FIND_ROWS(at_y[k] < n_y ? at_y[k] : 0)
#pragma unroll
			for (uint i = 0; i < V; i++)
				block[k][i] = load_items(
					(__global const uchar *)(at + (ulong)(long)from[i]), W,
					(int)size_b - (int)(at_x[k] * V), false);
		}
	}
	/* While the items are on their way: */
	if (is_skewed) {
		is_first = first_a == 0;
		is_last = first_a + size_a == (uint)nC1 * (uint)yC1;
	}
	unit = is_skewed ? SKEW * W : V * W;
	end = (int)(size_a * W); /* of the part, in bytes from its beginning */
	for (k = t; k < size_b; k += ITEMS) {
		ulong target;
		uint past, left, first, limit;

		FIND_TO
		i = k;
		Q_OFFSET(i, offset)
		target = (ulong)(dst + offset);
		past = (uint)target & (unit - 1);
		left = unit - past;
		limit = past + (uint)end; /* from the beginning of the unit */
		limit -= is_last ? limit % (V * W) : limit & (unit - 1);
		first = is_first ? (past + V * W - 1) & ~(V * W - 1u) : 0;
		target -= past;
		rows[k] = (uint4)((uint)target, (uint)(target >> 32),
			(k * pitch_b + k / 16 * turn_b + left / (V * W)) | left % (V * W) * 8 << 16,
			first | (limit > first ? limit : first) << 16);
	}
#pragma unroll
	for (k = 0; k < N; k++) {
		uint at = at_x[k] * (V * pitch_b) + at_x[k] / (16 / V) * turn_b + at_y[k] +
			(is_skewed ? 0 : 1);

		if (W > 1 && swap) {
#pragma unroll
			for (int i = 0; i < V; i++)
				block[k][i] = swap_items(block[k][i], (uint)swap);
		}
		turn(block[k]);
		if (at_y[k] < n_y) {
#pragma unroll
			for (uint i = 0; i < V; i++)
				tile[at + i * pitch_b] = block[k][i];
		}
	}
	b = divide(t, lanesY);
	x = (t - b * n_out) * (V * W);
	step_y = divide(ITEMS, lanesY);
	b = b < step_y ? b : size_b;
	BARRIER();
#pragma unroll 1
	for (k = b; k < size_b; k += AT_ONCE * step_y)
#pragma unroll
		for (uint i = 0; i < AT_ONCE; i++) {
			bool is_row = k + i * step_y < size_b;
			uint4 row = rows[is_row ? k + i * step_y : 0];
			uint from = (row.z & 0xffff) + x / (V * W), first = row.w & 0xffff;

			store_if(is_row & (x - first < (row.w >> 16) - first),
				(row.x | (ulong)row.y << 32) + x,
				join_bits(tile[from], tile[from + 1], row.z >> 16));
		}
	/* The items before the first whole vector of the run, and after the last. */
	if ((is_first || is_last) && !(flags & KERNEL_FLAG_DST_VECTORS && end % (V * W) == 0))
		for (k = t; k < 2 * size_b; k += ITEMS) {
			uint4 row = rows[k / 2];
			uint begin = k / 2 * pitch_b + k / 32 * turn_b; /* of the row in local memory */
			uint left = ((row.z & 0xffff) - begin) * (V * W) + (row.z >> 19);
			ulong target = (row.x | (ulong)row.y << 32) + (unit - left);
			uint before = (uint)target % (V * W);
			uint behind = ((uint)target + (uint)end) % (V * W);
			int a = 0, a_end = is_first && before ? (int)(V * W - before) : 0;

			a_end = a_end < end ? a_end : end;
			if (k & 1) {
				a = end - (int)behind;
				a = is_first && a < a_end ? a_end : a;
				a_end = is_last ? end : a;
			}
#pragma nounroll
			for (; a < a_end; a += W) {
				uint at = (uint)(a + (int)unit) / W;

				STORE(item, target + (ulong)(long)a) = items[begin * V + at];
			}
		}
}
