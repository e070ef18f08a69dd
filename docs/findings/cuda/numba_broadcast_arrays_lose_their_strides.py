# SPDX-License-Identifier: MIT
"""An array that Numba took with a stride of 0 is exported without strides, as if its rows followed each other.

Library: Numba 0.68
Rules: CAI304, CAI307
Clause: CUDA Array Interface, version 3, strides
Hurts: whoever reads it: three rows of 16 bytes are read from an array of 16, past its end.
"""

import numpy
from numba import cuda

row = cuda.to_device(numpy.arange(4, dtype="f4")).__cuda_array_interface__
interface = {**row, "shape": (3, 4), "strides": (0, 4)}
rows = cuda.as_cuda_array(type("Rows", (), {"__cuda_array_interface__": interface})())
assert rows.__cuda_array_interface__["shape"] == (3, 4)
assert rows.__cuda_array_interface__["strides"] is None
