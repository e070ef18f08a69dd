// SPDX-License-Identifier: MIT
/*
 * The kernels of strided copies, in OpenCL C 1.2. One build makes one kernel, a row of kernels.list:
 *   -DNAME=transpose4 -DTRANSPOSE -DW=4 -DV=4 -DN=16
 * W is the size of an item in bytes, V the number of items in a vector, and N the blocks along a
 * tile's side, the items of the short dimension, or the blocks or vectors of a work-item. OpenCL
 * builds the source at run time, SYCL uses its SPIR-V, CUDA its PTX. copy/kernels/kernels.c
 * documents the arguments. Loops have constant bounds and are unrolled, if need be by the
 * runtime: SPIR-V is generated without optimization, but with all functions inlined.
 */
#define INLINE static inline __attribute__((always_inline))

#ifdef __NVPTX__
#define LOCAL_ID __nvvm_read_ptx_sreg_tid_x()
#define GROUP_ID __nvvm_read_ptx_sreg_ctaid_x()
#define BARRIER() __syncthreads()
#else
#define LOCAL_ID ((uint)get_local_id(0))
#define GROUP_ID ((uint)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif

/*
 * Barriers that an argument decides. PoCL 3.1 miscompiles some of them, although all work-items reach
 * them or none does: elsewhere than on CUDA, all barriers are reached.
 */
#ifdef __NVPTX__
#define BARRIER_IF(CONDITION) \
	if (CONDITION)        \
	BARRIER()
#define RETURN_BEFORE_BARRIER return;
#else
#define BARRIER_IF(CONDITION) BARRIER()
#define RETURN_BEFORE_BARRIER
#endif

#define ITEMS 256u /* work-items of a group */

enum { SRC_VECTORS = 1, DST_VECTORS = 2, ALONG = 4, CUT_Y_FIRST = 8, DST_WORDS = 16, SRC_WORDS = 32, CUT_BOTH = 64,
	LONG_X = 128, LONG_Y = 256, SKEWED = 512 };

#define KERNEL                                                                                 \
	__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void NAME(                   \
		__global const uchar *restrict src, __global uchar *restrict dst, long soff,   \
		long doff, long nA, long sA, long dA, long nB, long sB, long dB, long n2,      \
		long s2, long d2, long n3, long s3, long d3, long n4, long s4, long d4,        \
		long n5, long s5, long d5, long n6, long s6, long d6, long n7, long s7,        \
		long d7, long n8, long s8, long d8, long n9, long s9, long d9, long total,     \
		long swap, long t0, long t1, long flags, long begin, long end)

#if W == 1
typedef uchar item;
#elif W == 2
typedef ushort item;
#elif W == 4
typedef uint item;
#elif W == 8
typedef ulong item;
#else
typedef uint4 item;
#endif

#if V == 1
typedef item vec;
#elif V * W == 4
typedef uint vec;
#elif V * W == 8
typedef uint2 vec;
#else
typedef uint4 vec;
#endif

#define LOAD(TYPE, FROM) (*(__global const TYPE *)(FROM))
#define STORE(TYPE, TO) (*(__global TYPE *)(TO))

/* The product of a value and a reciprocal, shifted by at least 31. */
INLINE uint scale(uint value, uint reciprocal, uint shift)
{
#ifdef __NVPTX__
	uint q; /* in assembly, since a shift in OpenCL C is taken modulo 64 by another instruction */

	__asm__("{\n.reg .u64 p;\nmul.wide.u32 p, %1, %2;\nshr.u64 p, p, %3;\ncvt.u32.u64 %0, p;\n}"
		: "=r"(q)
		: "r"(value), "r"(reciprocal), "r"(shift));
	return q;
#else
	return (uint)(((ulong)value * reciprocal) >> shift);
#endif
}

/*
 * A count is n with a reciprocal above it: 32-bit division without dividing, for values < 2^31.
 * Called so often that SPIR-V with it inlined would be a third larger.
 */
#ifdef __NVPTX__
INLINE uint divide(uint value, long count)
{
	uint log2; /* of n - 1, rounded down; -1 for 0 */

	__asm__("bfind.u32 %0, %1;" : "=r"(log2) : "r"((uint)count - 1));
	return scale(value, (uint)(count >> 32), 32 + log2);
}
#else
static uint divide(uint value, long count)
{
	return scale(value, (uint)(count >> 32), 63 - clz((uint)count - 1));
}
#endif

/* Products of indices and strides, both of 32 bits. */
#ifdef __NVPTX__
INLINE long times(int index, int stride)
{
	long x;

	__asm__("mul.wide.s32 %0, %1, %2;" : "=l"(x) : "r"(index), "r"(stride));
	return x;
}
#define TIMES(INDEX, STRIDE) times((int)(INDEX), (int)(STRIDE))
#else
#define TIMES(INDEX, STRIDE) ((long)(int)(INDEX) * (int)(STRIDE))
#endif

/* A dimension of KERNEL, whose source stride has the shift that divides by its count in the high half. */
#define STEP(z, n, s, d)                                                   \
	{                                                                  \
		uint q_ = scale(z, (uint)(n >> 32), (uint)(s >> 32));      \
		uint r_ = z - q_ * (uint)n;                                \
		from += TIMES(r_, s);                                      \
		to += TIMES(r_, d);                                        \
		z = q_;                                                    \
	}

/*
 * Adds the offsets of index z of the outer dimensions to from and to. A branch after each dimension
 * would make the work-item wait for each quotient.
 */
#define REST(z)                                              \
	if (z) {                                             \
		STEP(z, n2, s2, d2)                          \
		STEP(z, n3, s3, d3)                          \
		if (z) {                                     \
			STEP(z, n4, s4, d4)                  \
			STEP(z, n5, s5, d5)                  \
			if (z) {                             \
				STEP(z, n6, s6, d6)          \
				STEP(z, n7, s7, d7)          \
				STEP(z, n8, s8, d8)          \
				from += TIMES(z, s9);        \
				to += TIMES(z, d9);          \
			}                                    \
		}                                            \
	}

/* Swaps the bytes of each unit, which is not larger than an item. */
INLINE uint swap_word(uint x, uint unit)
{
	if (unit >= 2)
		x = ((x & 0x00ff00ffu) << 8) | ((x >> 8) & 0x00ff00ffu);
#if W != 2
	if (unit >= 4)
		x = (x << 16) | (x >> 16);
#endif
	return x;
}

/* Uses masks, since SPIR-V before 1.4 cannot select between vectors. */
INLINE uint4 swap_vector(uint4 x, uint unit)
{
	uint pairs = unit >= 8 ? ~0u : 0, halves = unit >= 16 ? ~0u : 0, change;

	x = (uint4)(swap_word(x.x, unit), swap_word(x.y, unit), swap_word(x.z, unit),
		swap_word(x.w, unit));
	change = (x.x ^ x.y) & pairs;
	x.xy ^= change;
	change = (x.z ^ x.w) & pairs;
	x.zw ^= change;
	x ^= (x ^ x.zwxy) & halves;
	return x;
}

INLINE item swap_item(item x, uint unit)
{
#if W == 1
	return x;
#elif W == 2
	return (item)swap_word(x, unit);
#elif W == 4
	return swap_word(x, unit);
#elif W == 8
	uint low = swap_word((uint)x, unit), high = swap_word((uint)(x >> 32), unit);

	return unit >= 8 ? ((ulong)low << 32) | high : ((ulong)high << 32) | low;
#else
	return swap_vector(x, unit);
#endif
}

/* An item of a vector; its number is a constant once loops are unrolled. */
INLINE item get_item(vec x, int i)
{
#if V == 1
	return x;
#else
	const uint *words = (const uint *)&x;

#if W == 8
	return ((ulong)words[2 * i + 1] << 32) | words[2 * i];
#else
	return (item)(words[i * W / 4] >> (i * W % 4 * 8));
#endif
#endif
}

/* Into a zeroed vector. */
INLINE void put_item(vec *x, int i, item value)
{
#if V == 1
	*x = value;
#else
	uint *words = (uint *)x;

#if W == 8
	words[2 * i] = (uint)value;
	words[2 * i + 1] = (uint)(value >> 32);
#else
	words[i * W / 4] |= (uint)value << (i * W % 4 * 8);
#endif
#endif
}

INLINE vec swap_items(vec x, uint unit)
{
#if W == 1
	return x;
#else
	if (!unit) /* nearly always */
		return x;
#if V == 1
	return swap_item(x, unit);
#elif V * W == 16
	return swap_vector(x, unit);
#elif V * W == 8
	return (uint2)(swap_word(x.x, unit), swap_word(x.y, unit));
#else
	return (vec)swap_word(x, unit);
#endif
#endif
}

/* V items, step bytes apart, from the position of the first; n of them exist. */
INLINE vec load_items(__global const uchar *from, long step, int n, bool whole)
{
	vec x = 0;

	if (whole && n >= V)
		return LOAD(vec, from);
#pragma unroll
	for (int i = 0; i < V; i++)
		if (i < n)
			put_item(&x, i, LOAD(item, from + TIMES(i, step)));
	return x;
}

INLINE void store_items(__global uchar *to, long step, int n, bool whole, vec x)
{
	if (whole && n >= V) {
		STORE(vec, to) = x;
		return;
	}
#pragma unroll
	for (int i = 0; i < V; i++)
		if (i < n)
			STORE(item, to + TIMES(i, step)) = get_item(x, i);
}

#ifdef __NVPTX__
INLINE uint funnel(uint low, uint high, uint bits)
{
	uint x;

	__asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(x) : "r"(low), "r"(high), "r"(bits));
	return x;
}
INLINE uint funnel_left(uint low, uint high, uint bits)
{
	uint x;

	__asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(x) : "r"(low), "r"(high), "r"(bits));
	return x;
}
#else
#define funnel(low, high, bits) ((uint)((((ulong)(high) << 32) | (low)) >> (bits)))
#define funnel_left(low, high, bits) ((uint)(((((ulong)(high) << 32) | (low)) << (bits)) >> 32))
#endif

#if defined(ROWS) || defined(REVERSE) || defined(INTERLEAVE) || defined(DEINTERLEAVE)
/* The 16 bytes that begin at offset past in two blocks of 16. */
INLINE uint4 across(uint4 a, uint4 b, uint past)
{
	uint far = past & 8, x0 = far ? a.z : a.x, x1 = far ? a.w : a.y, x2 = far ? b.x : a.z;
	uint x3 = far ? b.y : a.w;

#if W < 8
	uint x4 = far ? b.z : b.x, next = past & 4;

	x0 = next ? x1 : x0;
	x1 = next ? x2 : x1;
	x2 = next ? x3 : x2;
	x3 = next ? x4 : x3;
#if W < 4
	uint bits = (past & 3) * 8;

	x4 = next ? (far ? b.w : b.y) : x4;
	x0 = funnel(x0, x1, bits);
	x1 = funnel(x1, x2, bits);
	x2 = funnel(x2, x3, bits);
	x3 = funnel(x3, x4, bits);
#endif
#endif
	return (uint4)(x0, x1, x2, x3);
}
#endif

#if defined(ROWS) || defined(REVERSE) || defined(FILL)
#ifdef FILL
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
#endif

#ifndef FILL
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
#endif

/*
 * Rows of nA bytes that are contiguous on both sides, the source's backwards in REVERSE, or
 * filled with one item of the source. Each work-item has N blocks of 16 bytes, aligned in the
 * destination: in consecutive rows or, with ALONG, in one row. The source is read in aligned
 * blocks within the row, all before the first is stored. t0: groups along the row; t1: log2 of
 * work-items along it; total: rows.
 */
#ifdef FILL
/* A loop: unrolled, it takes up to 1.5 times as long, and is a sixth of the code of all kernels. */
KERNEL
{
	uint t = LOCAL_ID, g = GROUP_ID, line = divide(g, t0), lanes = 1u << t1;
	uint rows = ITEMS >> t1, unit = (uint)swap;
	bool along = flags & ALONG;
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
#else
KERNEL
{
	uint t = LOCAL_ID, g = GROUP_ID, line = divide(g, t0), lanes = 1u << t1;
	uint rows = ITEMS >> t1, unit = (uint)swap;
	bool along = flags & ALONG, there = false;
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
#endif
#endif

#ifdef GATHER
/* Any strides: N vectors of V items of A each. t0: vectors along A; total: vectors. */
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
			x[u] = load_items(src + from, sA, n[u], V == 1 || flags & SRC_VECTORS);
		}
		target[u] = dst + to;
	}
#pragma unroll
	for (uint u = 0; u < N; u++)
		if (n[u])
			store_items(target[u], dA, n[u], V == 1 || flags & DST_VECTORS, swap_items(x[u], unit));
}
#endif

#ifdef FLAT
/*
 * Any strides of the source; the destination is contiguous: N vectors of V of its items each, whatever the
 * rows of A are. A and B have at least V items together, so that a vector ends in the next of the outer
 * dimensions at most. All items of a vector are requested before the first is used. t0: items; total: vectors.
 */
KERNEL
{
	uint first = GROUP_ID * (ITEMS * N) + LOCAL_ID, unit = (uint)swap;
	uint n_a = (uint)nA, n_b = (uint)nB;
	long around = TIMES(1, sB) - TIMES(n_a, sA); /* from behind a row to the next */

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
		(void)to; /* of REST, which the index tells here */
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
		store_items(dst + doff + TIMES(i, W), W, n, flags & DST_VECTORS, swap_items(x, unit));
	}
}
#endif

#if defined(BLOCK) || defined(TRANSPOSE) || defined(TURN)
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

/* The number of items (or rows) of a block whose cut dimension has extent n, in a block e. */
INLINE uint cut(long n, long e, uint tile, long unit)
{
	long left = n - tile * e;

	return (uint)((left < e ? left : e) * unit);
}

/*
 * Adds the stride of index z of up to four dimensions to an offset. Offsets along X and Y and places
 * fit in 32 bits.
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
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void NAME(\
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
 * The numbers of the tiles of the cut dimensions, and the number of the tile in all others. With
 * CUT_Y_FIRST, consecutive groups have consecutive tiles of the second cut dimension.
 */
#define FIND_TILES                                                                        \
	bool y_first = flags & CUT_Y_FIRST;                                               \
	long n_first = y_first ? nT1 : nT0, n_second = y_first ? nT0 : nT1;               \
	uint g = GROUP_ID, q = divide(g, n_first), first = g - q * (uint)n_first;         \
	uint outer = divide(q, n_second), second = q - outer * (uint)n_second;            \
	uint tile0 = y_first ? second : first, tile1 = y_first ? first : second, i, l, z; \
	long offset;                                                                      \
	LOAD_TILES
/* The offset of the tile on one side: computed by those work-items that need it, since others then execute less. */
#define FIND_FROM                                       \
	offset = soff + tile0 * sT0 + tile1 * sT1;      \
	ADD_TILES(1)
#define FIND_TO                                         \
	offset = doff + tile0 * dT0 + tile1 * dT1;      \
	ADD_TILES(2)
/* Adds what the outer tile adds on the side whose strides are at SIDE in the table. */
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
#endif

#if W <= 2 && V > 1 && V * W <= 8
#define READS_WORDS /* can do so, of a run of neighbours */
/* V neighbouring items at any address: the words of memory that hold them and perhaps the one behind, shifted. */
INLINE vec load_words(ulong address)
{
	__global const uint *from = (__global const uint *)(address & ~3ul);
	uint bits = (uint)address * 8 % 32;

#if V * W == 4
	return funnel(from[0], from[1], bits);
#else
	uint middle = from[1];

	return (uint2)(funnel(from[0], middle, bits), funnel(middle, from[2], bits));
#endif
}
#endif

#if defined(TRANSPOSE) || defined(TURN)
/* Smaller tiles of two bytes are faster without: they need fewer registers. */
#if defined(READS_WORDS) && (W == 1 || N * V > 64)
#define WORDS
/* The last `past` bytes of a vector and the first of the next. */
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

#endif

#if defined(TRANSPOSE) || defined(TURN) || defined(SQUARE)
#if W == 1 && V >= 4
#ifdef __NVPTX__
INLINE uint permute(uint a, uint b, uint bytes)
{
	uint x;

	__asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(x) : "r"(a), "r"(b), "r"(bytes));
	return x;
}
#define LOW_BYTES(a, b) permute(a, b, 0x5140)
#define HIGH_BYTES(a, b) permute(a, b, 0x7362)
#else
INLINE uint spread(uint x)
{
	return (x & 0xffu) | ((x & 0xff00u) << 8);
}
#define LOW_BYTES(a, b) (spread(a) | (spread(b) << 8))
#define HIGH_BYTES(a, b) (spread((a) >> 16) | (spread((b) >> 16) << 8))
#endif
#endif
#define LOW_HALVES(a, b) (((a) & 0xffffu) | ((b) << 16))
#define HIGH_HALVES(a, b) (((a) >> 16) | ((b) & 0xffff0000u))

#if W == 1 && V >= 4
INLINE uint4 turn_bytes(uint4 x)
{
	uint a = LOW_BYTES(x.x, x.y), b = HIGH_BYTES(x.x, x.y);
	uint c = LOW_BYTES(x.z, x.w), d = HIGH_BYTES(x.z, x.w);

	return (uint4)(LOW_HALVES(a, c), HIGH_HALVES(a, c), LOW_HALVES(b, d), HIGH_HALVES(b, d));
}
#endif

/* A block of V by V items, in registers. */
INLINE void turn(vec x[V])
{
#if V == 1
	(void)x;
#elif W == 1 && V == 4
	uint4 y = turn_bytes((uint4)(x[0], x[1], x[2], x[3]));

	x[0] = y.x;
	x[1] = y.y;
	x[2] = y.z;
	x[3] = y.w;
#elif W == 1 && V == 8
	uint4 a = turn_bytes((uint4)(x[0].x, x[1].x, x[2].x, x[3].x));
	uint4 b = turn_bytes((uint4)(x[4].x, x[5].x, x[6].x, x[7].x));
	uint4 c = turn_bytes((uint4)(x[0].y, x[1].y, x[2].y, x[3].y));
	uint4 d = turn_bytes((uint4)(x[4].y, x[5].y, x[6].y, x[7].y));

	x[0] = (uint2)(a.x, b.x);
	x[1] = (uint2)(a.y, b.y);
	x[2] = (uint2)(a.z, b.z);
	x[3] = (uint2)(a.w, b.w);
	x[4] = (uint2)(c.x, d.x);
	x[5] = (uint2)(c.y, d.y);
	x[6] = (uint2)(c.z, d.z);
	x[7] = (uint2)(c.w, d.w);
#elif W == 2 && V == 2
	uint a = x[0], b = x[1];

	x[0] = LOW_HALVES(a, b);
	x[1] = HIGH_HALVES(a, b);
#elif W == 2 && V == 4
	uint2 a = x[0], b = x[1], c = x[2], d = x[3];

	x[0] = (uint2)(LOW_HALVES(a.x, b.x), LOW_HALVES(c.x, d.x));
	x[1] = (uint2)(HIGH_HALVES(a.x, b.x), HIGH_HALVES(c.x, d.x));
	x[2] = (uint2)(LOW_HALVES(a.y, b.y), LOW_HALVES(c.y, d.y));
	x[3] = (uint2)(HIGH_HALVES(a.y, b.y), HIGH_HALVES(c.y, d.y));
#elif W == 2 && V == 8
	uint4 a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5], g = x[6], h = x[7];
	uint4 ab = LOW_HALVES(a, b), cd = LOW_HALVES(c, d), ef = LOW_HALVES(e, f);
	uint4 gh = LOW_HALVES(g, h);

	x[0] = (uint4)(ab.x, cd.x, ef.x, gh.x);
	x[2] = (uint4)(ab.y, cd.y, ef.y, gh.y);
	x[4] = (uint4)(ab.z, cd.z, ef.z, gh.z);
	x[6] = (uint4)(ab.w, cd.w, ef.w, gh.w);
	ab = HIGH_HALVES(a, b);
	cd = HIGH_HALVES(c, d);
	ef = HIGH_HALVES(e, f);
	gh = HIGH_HALVES(g, h);
	x[1] = (uint4)(ab.x, cd.x, ef.x, gh.x);
	x[3] = (uint4)(ab.y, cd.y, ef.y, gh.y);
	x[5] = (uint4)(ab.z, cd.z, ef.z, gh.z);
	x[7] = (uint4)(ab.w, cd.w, ef.w, gh.w);
#elif W == 4 && V == 4
	uint4 a = x[0], b = x[1], c = x[2], d = x[3];

	x[0] = (uint4)(a.x, b.x, c.x, d.x);
	x[1] = (uint4)(a.y, b.y, c.y, d.y);
	x[2] = (uint4)(a.z, b.z, c.z, d.z);
	x[3] = (uint4)(a.w, b.w, c.w, d.w);
#elif W == 8 && V == 2
	uint4 a = x[0], b = x[1];

	x[0] = (uint4)(a.xy, b.xy);
	x[1] = (uint4)(a.zw, b.zw);
#else
#error "no block of this shape"
#endif
}
#endif

#ifdef SQUARE
/*
 * Squares of V by V items, transposed in registers, one for each work-item: vectors along B are read, vectors along A are
 * written, which are all aligned. Without SRC_VECTORS, which only items of one and two bytes need not have, vectors are read in
 * words, and the last square along B may lack items. The nA first of consecutive work-items have squares next to each other
 * along A, then come those along B. nA: squares along A in a part; nB: squares along B; t0: parts along A; t1: squares along A;
 * total: work-items; flags: above 32 bits, the items of the last square along B; begin, end: the bytes of the source, from its
 * offset on.
 */
#ifdef READS_WORDS
/* The first n of V neighbouring items one by one, in a loop, since few vectors need it. */
INLINE vec load_last(__global const uchar *from, int n)
{
	vec x = 0;

#pragma nounroll
	for (int i = 0; i < V; i++) {
		uint value = i < n ? LOAD(item, from + i * W) : 0;

#if V * W == 4
		x = (x >> (8 * W)) | (value << (32 - 8 * W));
#else
		x = (vec)(funnel(x.x, x.y, 8 * W), (x.y >> (8 * W)) | (value << (32 - 8 * W)));
#endif
	}
	return x;
}

/* Whether the words that load_words() reads are all in the source. */
#define HAS_WORDS(FROM)                                           \
	(((ulong)(FROM) & ~3ul) >= (ulong)(src + (soff + begin)) && \
		((ulong)(FROM) & ~3ul) + (V * W + 4) <= (ulong)(src + (soff + end)))
#endif

KERNEL
{
	uint i = GROUP_ID * ITEMS + LOCAL_ID, unit = (uint)swap;
	uint square = scale(i, (uint)(nA >> 32), (uint)(sA >> 32)), a = i - square * (uint)nA;
	uint part = scale(square, (uint)(nB >> 32), (uint)(sB >> 32)), b = square - part * (uint)nB;
	uint z = divide(part, t0);
	int n = b + 1 == (uint)nB ? (int)(flags >> 32) : V;
	long from = soff + TIMES(b, V * W), to = doff + TIMES(b * V, dB);
	vec x[V];

	a += (part - z * (uint)t0) * (uint)nA;
	if (i >= (uint)total || a >= (uint)t1)
		return;
	from += TIMES(a * V, sA);
	to += TIMES(a, V * W);
	REST(z)
#ifdef READS_WORDS
	if (!(flags & SRC_VECTORS)) {
		if (HAS_WORDS(src + from) && HAS_WORDS(src + (from + TIMES(V - 1, sA)))) {
#pragma unroll
			for (int k = 0; k < V; k++)
				x[k] = load_words((ulong)(src + (from + TIMES(k, sA))));
		} else {
#pragma unroll
			for (int k = 0; k < V; k++)
				x[k] = load_last(src + (from + TIMES(k, sA)), n);
		}
	} else
#endif
#pragma unroll
		for (int k = 0; k < V; k++)
			x[k] = LOAD(vec, src + (from + TIMES(k, sA)));
#pragma unroll
	for (int k = 0; k < V; k++)
		x[k] = swap_items(x[k], unit);
	turn(x);
#pragma unroll
	for (int k = 0; k < V; k++)
		if (k < n)
			STORE(vec, dst + (to + TIMES(k, dB))) = x[k];
}
#endif

#ifdef TRANSPOSE
/*
 * Tiles of N by N vectors on either side: A is the run along the destination (Y = R), B the one
 * along the source (X = Q). A tile in local memory has a row for each b, rotated by its block so
 * that no two work-items of a row or a column access the same bank. All loads of a tile are issued
 * before any block is transposed: blocks of a tile outside the array, or rows of those that are
 * read in words, are read from the position of the first.
 */
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
	if (t < SIDE) { /* the first row for those that do not exist */
		FIND_FROM
		i = t < size_a ? t : 0;
		R_OFFSET(i, offset)
		row_from[t] = (ulong)(src + offset);
	}
	i = x * V < size_b ? x * V : 0;
	X_OFFSET(i, x_from)
	BARRIER();
	if (whole_a & whole_b & (uint)flags & SRC_VECTORS) {
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
	if (flags & DST_WORDS && !(flags & DST_VECTORS && size_a % V == 0)) {
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
	if (V > 1 && !(flags & DST_VECTORS)) { /* neighbours are stored by neighbouring work-items */
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
#endif

#ifdef TURN
/*
 * As TRANSPOSE, but its runs are neighbours on both sides, and have any length: a tile has lanesX
 * vectors along B and lanesY along A, of which the last is behind the run, unless it is SKEWED. Each
 * work-item turns N blocks of V by V items. In local memory, a row along A begins `pitch` vectors
 * after the one before (the low half of the parameter), and every 16th one more later (the high half),
 * so that work-items store to different banks. The result is written in vectors of memory, which are
 * composed of two in local memory, and then the items at the ends of the rows.
 *
 * SKEWED: rows along A go on in the tiles before and behind. A tile writes each of them from the
 * beginning of the sector in which its part begins to that of the sector in which the next part
 * does, so that no two parts of a row share a sector, and reads the SKEW items before its part too. R
 * leads to the whole run.
 *
 * inside, n_inside: of the rows that are read, not of the tile.
 */
#define MAX_A 1024 /* items */
#define MAX_B 256
#define AT_ONCE 4
#define TILE_VECTORS (ITEMS * N * V * 9 / 8)
#define SKEW (32 / W) /* items of a sector */
#ifdef __NVPTX__
/* Without a branch, so that several values are computed at the same time. */
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
/* The vector that begins `bits` into a. */
INLINE vec join_bits(vec a, vec b, uint bits)
{
	bool far = bits & 32;
	uint x0 = far ? a.y : a.x, x1 = far ? b.x : a.y, x2 = far ? b.y : b.x;

	return (uint2)(funnel(x0, x1, bits & 31), funnel(x1, x2, bits & 31));
}
/* Offsets of the V rows of a block. */
#define FIND_ROWS(Y)                                                         \
	_Pragma("unroll")                                                    \
	for (uint l_ = 0; l_ < V / 4; l_++) {                                \
		int4 four = row_from[(Y) * (V / 4) + l_];                    \
                                                                             \
		from[4 * l_] = four.x, from[4 * l_ + 1] = four.y;            \
		from[4 * l_ + 2] = four.z, from[4 * l_ + 3] = four.w;        \
	}
/* Loads each block by LOAD_ROW(address), the first column and row for those that do not exist. */
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
	__local int4 row_from[MAX_A / 4]; /* bytes behind the first row */
	__local uint beyond;              /* whether a row is not inside */
	/* Of each b: address of the unit that it begins in; place there, and the bits to skip; the
	   first byte that is written in vectors, and the one behind the last. */
	__local uint4 rows[MAX_B];
	__local int *from_table = (__local int *)row_from;
	__local const item *items = (__local const item *)tile;
	uint t = LOCAL_ID, n_x = (uint)lanesX, n_y, n_out = (uint)lanesY, size_a, size_b, first_a;
	uint x, y, step_x, step_y, unit, pitch_b = (uint)pitch, turn_b = (uint)(pitch >> 32), b;
	uint at_x[N], at_y[N];
	bool is_skewed = flags & SKEWED, is_first = true, is_last = true;
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
	for (k = t; k < n_y * V; k += ITEMS) { /* the first row for those that do not exist */
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
	if (size_b % V == 0 && flags & SRC_VECTORS) {
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
	if ((is_first || is_last) && !(flags & DST_VECTORS && end % (V * W) == 0))
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
#endif

#if defined(INTERLEAVE) || defined(DEINTERLEAVE)
/*
 * N planes of items and lines in which each position has an item of every plane, in blocks of 16 bytes: V items. A group has
 * 1 << t1 work-items for a part of a line, and as many lines as there are such parts in it. t0: parts of a line; total: lines;
 * begin, end: the bytes of the source, from its offset on.
 */
#define LANES (1u << (uint)t1)

/* The first n of V neighbouring items, one by one: in a loop, since few blocks need it. */
INLINE vec load_end(__global const uchar *from, int n)
{
	vec x = 0;

#pragma nounroll
	for (int i = 0; i < V; i++) {
		item value = i < n ? LOAD(item, from + i * W) : 0;

#if W == 8
		x = (vec)(x.zw, (uint)value, (uint)(value >> 32));
#elif W == 4
		x = (vec)(x.yzw, value);
#else
		x = (vec)(funnel(x.x, x.y, 8 * W), funnel(x.y, x.z, 8 * W), funnel(x.z, x.w, 8 * W),
			(x.w >> (8 * W)) | ((uint)value << (32 - 8 * W)));
#endif
	}
	return x;
}

/*
 * The first n of V neighbouring items, at any address: from the aligned blocks that hold them, unless these are partly outside
 * of the source. What follows the items in the block is not defined.
 */
INLINE vec load_block(__global const uchar *from, int n, __global const uchar *first, __global const uchar *last)
{
	uint past = (uint)(ulong)from & 15;
	__global const uchar *low = from - past, *high = low + (past + (uint)(n < V ? n : V) * W > 16 ? 16 : 0);

	if (n <= 0)
		return 0;
	if (low >= first && high + 16 <= last)
		return across(LOAD(vec, low), LOAD(vec, high), past);
	return load_end(from, n);
}

/* The same in a kernel, whose flags tell whether all blocks are aligned. */
#define LOAD_BLOCK(FROM, n)                                \
	((n) >= V && flags & SRC_VECTORS                   \
			? LOAD(vec, FROM)                  \
			: load_block(FROM, n, src + (soff + begin), src + (soff + end)))

/*
 * Stores block i of a line of n blocks in local memory, which has n_bytes, as the aligned block of memory that holds most of
 * it before it: whole, or the items of it that exist. The first block of memory and what remains for the last are stored together.
 */
INLINE void store_block(__global uchar *to, __local const vec *line, uint i, uint n, int n_bytes)
{
	uint past = (uint)(ulong)to & 15;
	int at = (int)(i * 16) - (int)past;
	__local const item *items = (__local const item *)line;

	if (at >= 0 && at + 16 <= n_bytes) {
		STORE(vec, to + at) = past ? across(line[i - 1], line[i], 16 - past) : line[i];
		return;
	}
#pragma unroll
	for (int k = 0; k < V; k++) {
		int p = at + k * W;

		p += p < 0 ? (int)(n * 16) : 0;
		if (p < n_bytes)
			STORE(item, to + p) = items[p / W];
	}
}
#endif

#ifdef INTERLEAVE
/* N planes (A) are interleaved; B runs along a plane. */
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
#endif

#ifdef DEINTERLEAVE
/* The inverse: A runs along a plane, B over the N planes. */
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
	if (flags & DST_VECTORS) {
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
#endif

#ifdef BLOCK
/*
 * Any layout, in blocks: a box of items that holds a run along the source (X) and a run along the
 * destination (Y), each of up to four dimensions. The box is read along X, one row for each
 * position of the dimensions that only Y has (R), kept in local memory, and written along Y, one
 * row for each position of the dimensions that only X has (Q). A dimension of X and one of Y may be
 * cut into several blocks: they are the first and the second of the tile loops, the last of their
 * lists, and their last block may be short. If X and Y end with the same dimension, only that one may
 * be cut (CUT_BOTH): it is the first of the tile loops.
 *
 * The offsets and places along runs of several dimensions are computed once for a group: local memory
 * holds them in tables until the items arrive.
 *
 * Rows of neighbours in the source (SRC_WORDS) that are not read in vectors are read in words.
 *
 * A run of neighbours of one or two bytes that is the only row of its side may be longer than all lanes
 * (LONG_X, LONG_Y): its rows are parts of lanes * V items, of which the last may be short. R and Q then
 * lead from part to part, and in local memory the parts of a long X follow each other. A long Y is
 * written in the vectors of memory that it is in: its first part begins `past` items later than the
 * first vector.
 *
 * pitch: items from one row of the box to the next in local memory; lanesX, lanesY: vectors of a
 * row; inside, n_inside: the first offset from soff of a block that IS_INSIDE, and the number of such
 * offsets. cut0, cut1: extent of the cut dimension, its extent in a block, items of a row and number of
 * rows for each position in it. X, R: count and source stride; Y, Q: count, destination stride and
 * items in local memory; tiles: count, source and destination stride.
 */
#define MAX_ROWS 256
#define TILE_VECTORS (ITEMS * N + ITEMS * N / 8)
#define AT_ONCE 4 /* rows of which a work-item requests the items together */
BLOCK_KERNEL
{
	__local vec tile[TILE_VECTORS];
	__local ulong row_from[MAX_ROWS], row_to[MAX_ROWS]; /* addresses */
	__local int row_place[MAX_ROWS];
	__local item *items = (__local item *)tile;
	__local int *x_table = (__local int *)tile, *y_table, *place_table; /* before the items come */
	uint t = LOCAL_ID, n_x, n_y, n_rows_x, n_rows_y, row, lane, rows, row_y, lane_y, rows_y;
	uint first_y, step_y, at, left, n_table, n_whole;
	bool neighbours = flags & SRC_WORDS; /* along X */
	int x_from[V], y_to[V], place[V];
	vec x[N];
	int n, n_lane_y, first_place;
	LOCAL_TILES
	uint j, k; /* as in TRANSPOSE */
#ifdef READS_WORDS
	uint past = 0; /* items between the vector of memory in which a long Y begins and the first of them */
#endif

	FIND_TILES
	n_x = cut(nC0, eC0, tile0, xC0);
	n_y = cut(nC1, eC1, flags & CUT_BOTH ? tile0 : tile1, yC1);
	n_rows_y = flags & CUT_BOTH ? (uint)qC0 : cut(nC0, eC0, tile0, qC0);
	n_rows_x = flags & CUT_BOTH ? (uint)rC1 : cut(nC1, eC1, tile1, rC1);
	n_table = n_y;
#ifdef READS_WORDS
	if (flags & LONG_X)
		n_rows_x = divide((n_x + V - 1) / V + (uint)lanesX - 1, lanesX);
	if (flags & LONG_Y) {
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
	if (flags & LONG_X)
		n = row < rows ? (int)n_x - (int)(t * V) : 0;
#endif
	y_table = x_table + ((uint)nX1 > 1 && !neighbours ? n_x : 0);
	place_table = y_table + n_table;
	if ((uint)nX1 > 1 && !neighbours)
		for (k = ITEMS - 1 - t; k < n_x; k += ITEMS) { /* by other warps than the rows */
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
	if (neighbours && !(flags & SRC_VECTORS) && IS_INSIDE) {
#pragma unroll
		for (k = 0; k < N; k++) {
			uint r = row + k * rows;

			x[k] = load_words(row_from[r < n_rows_x ? r : 0] + (ulong)(long)x_from[0]);
		}
	} else
#endif
	if (V > 1 && flags & SRC_VECTORS && (!(flags & LONG_X) || IS_INSIDE)) {
#pragma unroll
		for (k = 0; k < N; k++) {
			uint r = row + k * rows;

			x[k] = (vec)0;
			if (n > 0 && r < n_rows_x)
				x[k] = load_items((__global const uchar *)(row_from[r] + (ulong)(long)x_from[0]), W, n, true);
		}
	} else if (!(flags & LONG_X)) {
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
	step_y = V > 1 && flags & DST_VECTORS ? 1 : (uint)lanesY;
	first_y = V > 1 && flags & DST_VECTORS ? lane_y * V : lane_y;
	n_lane_y = row_y < rows_y ? (int)n_y - (int)first_y : 0;
	BARRIER_IF((flags & LONG_Y) || (uint)nY1 > 1);
#ifdef READS_WORDS
	if (flags & LONG_Y) {
		past = (uint)row_to[0] % (V * W) / W;
#pragma unroll
		for (j = 0; j < V; j++) {
			bool before = lane_y * V + j < past; /* in the row before */
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
	if (flags & LONG_X && !IS_INSIDE) {
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
	if (flags & LONG_Y) {
		int last = (int)(n_y + past) - (int)(lane_y * V + V);

		n_rows_y = row_y < rows_y ? n_rows_y : 0;
		n_whole = last < 0 || (t == 0 && past > 0) ? 0 : divide((uint)last / V, lanesY) + 1;
		n_whole = n_whole < n_rows_y ? n_whole : n_rows_y;
		y_to[0] = ((int)(lane_y * V) - (int)past) * W;
		n_lane_y = V;
	}
#endif
	if (V > 1 && n_lane_y >= V && flags & (DST_VECTORS | LONG_Y)) {
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
		for (; flags & LONG_Y && row_y < n_rows_y; row_y += rows_y) {
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
#endif
