# SPDX-License-Identifier: MIT
"""Arrays for real consumers; on the host aligned to 64 bytes, as JAX requires."""

import numpy as np


def _aligned(n_elements):
    raw = np.zeros(n_elements * 4 + 64, dtype="u1")
    start = -raw.ctypes.data % 64
    return raw[start : start + n_elements * 4].view("f4")


a = _aligned(12).reshape(3, 4)
a[:] = np.arange(12).reshape(3, 4)

try:
    import dpnp
except ImportError:
    pass
else:
    d = dpnp.arange(12, dtype="f4", device="cpu").reshape(3, 4)
