# SPDX-License-Identifier: MIT
"""Zero-dimensional arrays are read-only through DLPack, and writable through dpnp itself and SUAI.

Library: dpnp
Rules: DLP813, XPR801
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY
Impact: round trips through DLPack: the 0-d array that is returned cannot be written.
"""

import dpnp

scalar, vector = dpnp.array(3.0), dpnp.array([3.0])
assert scalar.flags.writable and vector.flags.writable
assert dpnp.from_dlpack(vector).flags.writable
assert not dpnp.from_dlpack(scalar).flags.writable
