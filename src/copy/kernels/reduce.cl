// SPDX-License-Identifier: MIT
/*
 * Reductions of contiguous memory, in OpenCL C 1.2: what --checksum, --stats and --verify
 * compute. One build makes one kernel, a row of reduce.list, with the -D options of
 * strided_copy.cl. A group reduces 32 KiB to one result; the results are reduced again until one
 * is left (copy/kernels/reduce.c). Loops have constant bounds and are unrolled, as there.
 */
#include "kernel_constants.h"
#include "cl/group.cl"

#define GROUP_VECTORS ((uint)REDUCE_GROUP_VECTORS)

/*
 * The groups read up to the end of the input: the first `skip` vectors do not exist and are
 * neutral. sgap, dgap: bytes between planes of FOLD's input and of STATS' and FOLD's output. mS:
 * the factor by which a CRC is multiplied to precede S words of the input.
 */
#define KERNEL                                                                                 \
	__kernel __attribute__((reqd_work_group_size(KERNEL_GROUP_ITEMS, 1, 1))) void NAME(                   \
		__global const uchar *restrict src, __global uchar *restrict dst, long soff,   \
		long doff, long skip, long sgap, long dgap, long mode, long sign, long limit,  \
		long odd, long m256, long m128, long m64, long m32, long m16, long m8, long m4, \
		long m2, long m1)

/*
 * Halves the values of the work-items, with `combine` for one of the first `size` and its
 * partner.
 */
#define LEVELS(LEVEL) \
	LEVEL(128)    \
	LEVEL(64)     \
	LEVEL(32)     \
	LEVEL(16)     \
	LEVEL(8)      \
	LEVEL(4)      \
	LEVEL(2)      \
	LEVEL(1)

#ifdef CRC
/* Polynomials over GF(2) modulo that of CRC-32, bit 31 for 1 and bit 0 for x^31. */
INLINE uint times_x(uint a)
{
	return (a >> 1) ^ (0xEDB88320u & (0u - (a & 1u)));
}

INLINE uint times(uint a, uint b)
{
	uint product = 0;

#pragma unroll
	for (int i = 31; i >= 0; i--) {
		product ^= b & (0u - ((a >> i) & 1u));
		b = times_x(b);
	}
	return product;
}

/* Input words as digits to the base m1; tables multiply by m256, one byte each. */
KERNEL
{
	__local uint tables[4 * ITEMS], tile[ITEMS];
	uint t = LOCAL_ID, g = GROUP_ID, entry = 0, power = (uint)m256, sum = 0;
	uint missing = (uint)skip * 4, first = g * (ITEMS * N) + t;
	__global const uchar *from = src + soff;

#pragma unroll
	for (int i = 31; i >= 0; i--) {
		entry ^= power & (0u - ((t >> (i % 8)) & 1u));
		power = times_x(power);
		if (i % 8 == 0) {
			tables[i / 8 * ITEMS + t] = entry;
			entry = 0;
		}
	}
	BARRIER();
#pragma unroll
	for (uint u = 0; u < N; u++) {
		uint i = first + u * ITEMS;
		uint word = i >= missing ? LOAD(uint, from + (long)(i - missing) * 4) : 0;

		sum = tables[sum & 255u] ^ tables[ITEMS + ((sum >> 8) & 255u)] ^
		      tables[2 * ITEMS + ((sum >> 16) & 255u)] ^
		      tables[3 * ITEMS + (sum >> 24)] ^ word;
	}
	tile[t] = sum;
#define LEVEL(S)                                                      \
	BARRIER();                                                    \
	if (t < S) {                                                  \
		sum = times(sum, (uint)m##S) ^ tile[t + S];           \
		tile[t] = sum;                                        \
	}
	LEVELS(LEVEL)
	if (t == 0)
		STORE(uint, dst + doff + (long)g * 4) = sum;
}
#endif

#ifdef SUM
/* Equals reduce_mix() of copy/kernels/reduce.c. */
INLINE ulong mix(ulong word, ulong i)
{
	word ^= (i + 1) * 0x9E3779B97F4A7C15ul;
	word ^= word >> 32;
	word *= 0xD6E8FEB86659FD93ul;
	word ^= word >> 32;
	word *= 0xD6E8FEB86659FD93ul;
	return word ^ (word >> 32);
}

/* Words of 8 bytes, each mixed with its index, or PLAIN: sums of these. */
KERNEL
{
	__local ulong tile[ITEMS];
	uint t = LOCAL_ID, g = GROUP_ID, missing = (uint)skip;
	bool plain = mode & REDUCE_MODE_PLAIN;
	ulong sum = 0;

#pragma unroll
	for (uint u = 0; u < N; u++) {
		uint i = g * GROUP_VECTORS + u * ITEMS + t;

		if (i >= missing) {
			ulong at = i - missing;
			uint4 x = LOAD(uint4, src + soff + at * 16);
			ulong low = ((ulong)x.y << 32) | x.x, high = ((ulong)x.w << 32) | x.z;

			sum += plain ? low + high : mix(low, at * 2) + mix(high, at * 2 + 1);
		}
	}
	tile[t] = sum;
#define LEVEL(S)                   \
	BARRIER();                 \
	if (t < S) {               \
		sum += tile[t + S]; \
		tile[t] = sum;     \
	}
	LEVELS(LEVEL)
	if (t == 0)
		STORE(ulong, dst + doff + (long)g * 8) = sum;
}
#endif

#if defined(STATS) || defined(FOLD)
#if W == 8
typedef ulong number;
#else
typedef uint number;
#endif

struct seen {
	number min, max;
	uint n_nan;
};

INLINE struct seen seen_both(struct seen a, number min, number max, uint n_nan)
{
	a.min = min < a.min ? min : a.min;
	a.max = max > a.max ? max : a.max;
	a.n_nan += n_nan;
	return a;
}

#ifdef STATS
/*
 * An item as an integer key that preserves the order of values; copy/kernels/reduce.c has the
 * inverse.
 */
INLINE struct seen seen_item(
	struct seen seen, number x, uint mode, number sign, number limit, number odd)
{
	const number mask = (number)(~(ulong)0 >> (64 - 8 * W));
	number key, magnitude;
	bool nan;

	if ((mode & REDUCE_MODE_BOOL) && x)
		x = 1;
	magnitude = (mode & REDUCE_MODE_FLOAT) ? x & ~sign : x;
	nan = magnitude > limit;
#if W == 1
	nan = nan || x == odd;
#endif
	key = (mode & REDUCE_MODE_FLOAT) && (x & sign) ? ~x & mask : x ^ sign;
	return seen_both(seen, nan ? ~(number)0 : key, nan ? 0 : key, nan ? 1 : 0);
}

INLINE struct seen seen_word(
	struct seen seen, uint word, uint mode, number sign, number limit, number odd)
{
#if W < 8
#pragma unroll
	for (int i = 0; i < 4 / W; i++)
		seen = seen_item(seen, (word >> (i * W * 8)) & (~0u >> (32 - 8 * W)), mode, sign,
			limit, odd);
#endif
	return seen;
}
#endif

/* Minimum, maximum and number of NaNs: three planes of results of 8 bytes each. */
KERNEL
{
	__local number mins[ITEMS], maxs[ITEMS];
	__local uint nans[ITEMS];
	uint t = LOCAL_ID, g = GROUP_ID, missing = (uint)skip;
	struct seen seen;

	seen.min = ~(number)0;
	seen.max = 0;
	seen.n_nan = 0;
#pragma unroll
	for (uint u = 0; u < N; u++) {
		uint i = g * GROUP_VECTORS + u * ITEMS + t;

		if (i >= missing) {
			__global const uchar *from = src + soff + (ulong)(i - missing) * 16;
			uint4 x = LOAD(uint4, from);

#ifdef FOLD
			uint4 y = LOAD(uint4, from + sgap), z = LOAD(uint4, from + 2 * sgap);

			seen = seen_both(seen, ((ulong)x.y << 32) | x.x, ((ulong)y.y << 32) | y.x,
				z.x);
			seen = seen_both(seen, ((ulong)x.w << 32) | x.z, ((ulong)y.w << 32) | y.z,
				z.z);
#elif W == 8
			seen = seen_item(seen, ((ulong)x.y << 32) | x.x, (uint)mode, (number)sign,
				(number)limit, 0);
			seen = seen_item(seen, ((ulong)x.w << 32) | x.z, (uint)mode, (number)sign,
				(number)limit, 0);
#else
			seen = seen_word(seen, x.x, (uint)mode, (number)sign, (number)limit,
				(number)odd);
			seen = seen_word(seen, x.y, (uint)mode, (number)sign, (number)limit,
				(number)odd);
			seen = seen_word(seen, x.z, (uint)mode, (number)sign, (number)limit,
				(number)odd);
			seen = seen_word(seen, x.w, (uint)mode, (number)sign, (number)limit,
				(number)odd);
#endif
		}
	}
	mins[t] = seen.min;
	maxs[t] = seen.max;
	nans[t] = seen.n_nan;
#define LEVEL(S)                                                                  \
	BARRIER();                                                                \
	if (t < S) {                                                              \
		seen = seen_both(seen, mins[t + S], maxs[t + S], nans[t + S]);    \
		mins[t] = seen.min;                                               \
		maxs[t] = seen.max;                                               \
		nans[t] = seen.n_nan;                                             \
	}
	LEVELS(LEVEL)
	if (t == 0) {
		__global uchar *to = dst + doff + (long)g * 8;

		STORE(ulong, to) = seen.min;
		STORE(ulong, to + dgap) = seen.max;
		STORE(ulong, to + 2 * dgap) = seen.n_nan;
	}
}
#endif
