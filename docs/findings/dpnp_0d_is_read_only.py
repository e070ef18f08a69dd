# SPDX-License-Identifier: MIT
"""Each array without dimensions is read-only by DLPack, and writable by itself and by SUAI.

Library: dpnp
Rules: DLP813, XPR801
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY
Hurts: who makes a round trip: the 0-d array that comes back cannot be written.
"""

import dpnp

scalar, vector = dpnp.array(3.0), dpnp.array([3.0])
assert scalar.flags.writable and vector.flags.writable
assert dpnp.from_dlpack(vector).flags.writable
assert not dpnp.from_dlpack(scalar).flags.writable
