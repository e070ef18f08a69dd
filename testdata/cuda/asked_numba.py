# SPDX-License-Identifier: MIT
"""A few of Numba arrays for --calls and --lifetime, which call each of them many times, in separate workers."""

import numpy as np
from numba import cuda

plain = cuda.to_device(np.arange(12, dtype="f4").reshape(3, 4))
reversed_rows = plain[::-1]
empty = plain[:0]
on_stream = cuda.to_device(np.arange(12, dtype="f4"), stream=cuda.stream())
managed = cuda.managed_array((3, 4), "f4")
cuda.synchronize()
