# SPDX-License-Identifier: MIT
"""Dates, text, long doubles and swapped numbers are exported with NumPy's `typestr`, which means nothing on a GPU.

Library: Numba 0.68
Rules: CAI202, CAI207
Clause: CUDA Array Interface, version 3, typestr
Hurts: consumers that look at the size alone take a long double of this processor, or big-endian numbers, for their own.
"""

import numpy
from numba import cuda

for dtype, typestr in (("M8[s]", "<M8[s]"), ("S3", "|S3"), ("U2", "<U2"), ("g", "<f16"), (">f4", ">f4")):
    assert cuda.to_device(numpy.zeros(3, dtype)).__cuda_array_interface__["typestr"] == typestr
