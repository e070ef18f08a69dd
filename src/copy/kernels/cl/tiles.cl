// SPDX-License-Identifier: MIT
/* Arguments and offsets of the shapes with tiles: BLOCK, TRANSPOSE and TURN. copy/kernels/kernel_block.h documents them. */

/*
 * The tile loops after the first two: count, source and destination stride. CUDA indexes its
 * parameters, and has more of them than NVIDIA's OpenCL accepts; elsewhere they are copied to local
 * memory.
 */
#ifdef CUDA
struct tile_loops {
	long at[3 * 31];
};
#define TILE_PARAMETERS , struct tile_loops tiles
#define TILE(I) tiles.at[I]
#define LOCAL_TILES
#define LOAD_TILES
#else
#define TILES(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
#define TILE_PARAMETER(I) , long nT_##I, long sT_##I, long dT_##I
#define TILE_PARAMETERS TILES(TILE_PARAMETER)
#define TILE(I) tiles[I]
#define LOCAL_TILES __local long tiles[3 * 16];
#define LOAD_TILE(I) tiles[3 * I] = nT_##I, tiles[3 * I + 1] = sT_##I, tiles[3 * I + 2] = dT_##I;
#define LOAD_TILES               \
	if (LOCAL_ID == 0) {     \
		TILES(LOAD_TILE) \
	}                        \
	BARRIER();
#endif

/* The items or rows of a tile along a dimension of extent n that is cut into tiles of extent e: unit for each index. */
INLINE uint cut(long n, long e, uint tile, long unit)
{
	long left = n - tile * e;

	return (uint)((left < e ? left : e) * unit);
}

/*
 * Adds the offset of index z of up to four dimensions. Offsets along X and Y, and places in local memory, fit in 32 bits.
 */
#define DIGIT(TYPE, z, n, s, OFFSET)                                       \
	{                                                                  \
		uint q_ = divide(z, n);                                    \
		OFFSET += (TYPE)(z - q_ * (uint)n) * (TYPE)s;              \
		z = q_;                                                    \
	}
#define DIGITS(TYPE, z, OFFSET, n0, s0, n1, s1, n2, s2, s3) \
	if ((uint)n1 == 1) {                                \
		OFFSET += (TYPE)z * (TYPE)s0;               \
	} else {                                            \
		DIGIT(TYPE, z, n0, s0, OFFSET)              \
		DIGIT(TYPE, z, n1, s1, OFFSET)              \
		DIGIT(TYPE, z, n2, s2, OFFSET)              \
		OFFSET += (TYPE)z * (TYPE)s3;               \
	}
#define X_OFFSET(z, OFFSET) DIGITS(int, z, OFFSET, nX0, sX0, nX1, sX1, nX2, sX2, sX3)
#define R_OFFSET(z, OFFSET) DIGITS(long, z, OFFSET, nR0, sR0, nR1, sR1, nR2, sR2, sR3)
#define Y_OFFSET(z, OFFSET) DIGITS(int, z, OFFSET, nY0, dY0, nY1, dY1, nY2, dY2, dY3)
#define Y_PLACE(z, OFFSET) DIGITS(int, z, OFFSET, nY0, pY0, nY1, pY1, nY2, pY2, pY3)
#define Q_OFFSET(z, OFFSET) DIGITS(long, z, OFFSET, nQ0, dQ0, nQ1, dQ1, nQ2, dQ2, dQ3)
#define Q_PLACE(z, OFFSET) DIGITS(int, z, OFFSET, nQ0, pQ0, nQ1, pQ1, nQ2, pQ2, pQ3)
#define BLOCK_KERNEL \
__kernel __attribute__((reqd_work_group_size(KERNEL_GROUP_ITEMS, 1, 1))) void NAME(\
	__global const uchar *restrict src, __global uchar *restrict dst, long soff, long doff,\
	long swap, long flags, long inside, long n_inside, long pitch, long lanesX, long lanesY,\
	long nC0, long eC0, long xC0, long qC0, long nC1, long eC1, long yC1, long rC1,\
	long nX0, long sX0, long nX1, long sX1, long nX2, long sX2, long nX3, long sX3,\
	long nR0, long sR0, long nR1, long sR1, long nR2, long sR2, long nR3, long sR3,\
	long nY0, long dY0, long pY0, long nY1, long dY1, long pY1, long nY2, long dY2, long pY2, long nY3, long dY3, long pY3,\
	long nQ0, long dQ0, long pQ0, long nQ1, long dQ1, long pQ1, long nQ2, long dQ2, long pQ2, long nQ3, long dQ3, long pQ3,\
	long nT0, long sT0, long dT0, long nT1, long sT1, long dT1\
	TILE_PARAMETERS)

/*
 * The indices of the tile along the two cut dimensions, and along all others together. Consecutive groups copy
 * consecutive tiles of the first cut dimension, with KERNEL_FLAG_CUT_Y_FIRST of the second.
 */
#define FIND_TILES                                                                        \
	bool y_first = flags & KERNEL_FLAG_CUT_Y_FIRST;                                               \
	long n_first = y_first ? nT1 : nT0, n_second = y_first ? nT0 : nT1;               \
	uint g = GROUP_ID, q = divide(g, n_first), first = g - q * (uint)n_first;         \
	uint outer = divide(q, n_second), second = q - outer * (uint)n_second;            \
	uint tile0 = y_first ? second : first, tile1 = y_first ? first : second, i, l, z; \
	long offset;                                                                      \
	LOAD_TILES
/* The offset of the tile on one side. Only work-items that need it compute it. */
#define FIND_FROM                                       \
	offset = soff + tile0 * sT0 + tile1 * sT1;      \
	ADD_TILES(1)
#define FIND_TO                                         \
	offset = doff + tile0 * dT0 + tile1 * dT1;      \
	ADD_TILES(2)
/* Adds the offset of the outer tile on one side, whose strides are at SIDE in the table. */
#define ADD_TILES(SIDE)                                  \
	z = outer;                                       \
	if (z) {                                         \
		STEP_TILES(0, SIDE)                      \
		STEP_TILES(3, SIDE)                      \
		l = 6;                                   \
		_Pragma("unroll 1")                      \
		while (z) {                              \
			STEP_TILES(l, SIDE)              \
			l += 3;                          \
		}                                        \
	}
#define STEP_TILES(L, SIDE)                              \
	{                                                \
		uint q_ = divide(z, TILE(L));            \
		offset += (z - q_ * (uint)TILE(L)) * TILE((L) + SIDE); \
		z = q_;                                  \
	}
/* Whether all words that load_words() reads for the block are in the source. */
#define IS_INSIDE (row_from[0] - (ulong)(src + (soff + inside)) < (ulong)n_inside)
