// SPDX-License-Identifier: MIT
/* The 16 bytes that begin at byte `past` of a and continue in b. */
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
