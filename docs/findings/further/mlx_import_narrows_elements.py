# SPDX-License-Identifier: MIT
"""`mlx.core.array` of an array of float64 or complex128 has elements of half the width, without a warning.

Library: mlx 0.32
Rules: DLC307
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: users of float64: numbers lose 29 bits of their fraction, and those above 3.4e38 become infinite.
Known: seen on 2026-11-26.
"""

import mlx.core
import numpy

array = mlx.core.array(numpy.array([1e300, 1 + 2**-30]))
assert array.dtype == mlx.core.float32 and array.tolist() == [float("inf"), 1]
