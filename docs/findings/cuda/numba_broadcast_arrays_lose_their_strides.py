# SPDX-License-Identifier: MIT
"""An array that Numba imported with a stride of 0 is exported without strides, as if its rows were consecutive.

Library: Numba 0.68
Rules: CAI304, CAI307, DLC302
Clause: CUDA Array Interface, version 3, strides
Impact: consumers read three rows of 16 bytes, beyond the end of an array of 16 bytes.
"""

import numpy
from numba import cuda

row = cuda.to_device(numpy.arange(4, dtype="f4")).__cuda_array_interface__
interface = {**row, "shape": (3, 4), "strides": (0, 4)}
rows = cuda.as_cuda_array(type("Rows", (), {"__cuda_array_interface__": interface})())
assert rows.__cuda_array_interface__["shape"] == (3, 4)
assert rows.__cuda_array_interface__["strides"] is None
