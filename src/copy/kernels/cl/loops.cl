// SPDX-License-Identifier: MIT
/* The arguments of all shapes without tiles, and the offsets of their loops. */

#define KERNEL                                                                                 \
	__kernel __attribute__((reqd_work_group_size(KERNEL_GROUP_ITEMS, 1, 1))) void NAME(                   \
		__global const uchar *restrict src, __global uchar *restrict dst, long soff,   \
		long doff, long nA, long sA, long dA, long nB, long sB, long dB, long n2,      \
		long s2, long d2, long n3, long s3, long d3, long n4, long s4, long d4,        \
		long n5, long s5, long d5, long n6, long s6, long d6, long n7, long s7,        \
		long d7, long n8, long s8, long d8, long n9, long s9, long d9, long total,     \
		long swap, long t0, long t1, long flags, long begin, long end)

/*
 * Adds the offsets of index z modulo n to from and to, and divides z by n, for one dimension of KERNEL. The high half of its
 * source stride is the shift of that division.
 */
#define STEP(z, n, s, d)                                                   \
	{                                                                  \
		uint q_ = scale(z, (uint)(n >> 32), (uint)(s >> 32));      \
		uint r_ = z - q_ * (uint)n;                                \
		from += TIMES(r_, s);                                      \
		to += TIMES(r_, d);                                        \
		z = q_;                                                    \
	}

/*
 * Adds the offsets of index z of the outer dimensions to from and to. Branches only after some dimensions: each branch
 * waits for a quotient.
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
