# SPDX-License-Identifier: MIT
"""`__array_interface__` of an array of bfloat16 declares unsigned integers.

Library: warp 1.19
Rules: NAI901
Clause: NumPy array interface protocol, version 3, typestr
Impact: numpy.asarray, which returns the bits of the elements as numbers, while `array.numpy()` and `__dlpack__` have bfloat16.
"""

import numpy
import warp

array = warp.ones(3, dtype=warp.bfloat16, device="cpu")
assert numpy.asarray(array).tolist() == [0x3F80] * 3
assert array.numpy().astype(float).tolist() == [1] * 3
