# SPDX-License-Identifier: MIT
"""A few of Numba's arrays for --calls and --lifetime, which ask each of them many times, in workers of their own."""

import numpy as np
from numba import cuda

plain = cuda.to_device(np.arange(12, dtype="f4").reshape(3, 4))
reversed_rows = plain[::-1]
empty = plain[:0]
on_stream = cuda.to_device(np.arange(12, dtype="f4"), stream=cuda.stream())
managed = cuda.managed_array((3, 4), "f4")
cuda.synchronize()
