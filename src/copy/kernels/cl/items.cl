// SPDX-License-Identifier: MIT
/* Items of W bytes, and vectors of V items. */

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

/* Reverses the bytes of each unit of 2 bytes or more; a unit is at most as large as an item. */
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

/* Item i of a vector; i is constant once loops are unrolled. */
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

/* Sets item i of a vector in which it is 0. */
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

/* The first n of V items that are step bytes apart; if whole, a complete vector is one load. */
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
