# SPDX-License-Identifier: MIT
"""Dates, text, long doubles and byte-swapped numbers are exported with NumPy's `typestr`, which has no meaning on a
GPU.

Library: Numba 0.68
Rules: CAI202, CAI207
Clause: CUDA Array Interface, version 3, typestr
Impact: consumers that check only the size: they interpret a host long double, or big-endian numbers, as their own
    type.
"""

import numpy
from numba import cuda

for dtype, typestr in (("M8[s]", "<M8[s]"), ("S3", "|S3"), ("U2", "<U2"), ("g", "<f16"), (">f4", ">f4")):
    assert cuda.to_device(numpy.zeros(3, dtype)).__cuda_array_interface__["typestr"] == typestr
