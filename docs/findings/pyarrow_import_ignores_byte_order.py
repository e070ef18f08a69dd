# SPDX-License-Identifier: MIT
"""`Tensor.from_numpy` reads the elements of an array of the other byte order in the machine's order.

Library: pyarrow
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: arrays read from big-endian files: each number is wrong. `pyarrow.array` raises ArrowNotImplementedError for the same array.
Known: seen on 2026-11-23.
"""

import numpy
import pyarrow

tensor = pyarrow.Tensor.from_numpy(numpy.array([1, 256], ">i4"))
assert tensor.to_numpy().tolist() == [2**24, 2**16]
