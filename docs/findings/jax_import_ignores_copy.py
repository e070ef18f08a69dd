# SPDX-License-Identifier: MIT
"""`jax.dlpack.from_dlpack(array, copy=True)` shares the memory of an aligned NumPy array.

Library: jax
Clause: Python array API standard, version 2025.12, from_dlpack copy (True: the function always copies)
Impact: code that changes the array afterwards: the JAX array, which is immutable, changes too.
Known: seen on 2026-11-23 with jax 0.10.2 and 0.12.0.1.
"""

import jax
import numpy

block = numpy.zeros(32, "float32")
start = -block.ctypes.data % 64 // 4
array = block[start : start + 8]
result = jax.dlpack.from_dlpack(array, copy=True)
array[:] = 7
assert result.tolist() == [7] * 8  # not zeros
