// SPDX-License-Identifier: MIT
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

/* Transposes V vectors of V items in registers. */
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
