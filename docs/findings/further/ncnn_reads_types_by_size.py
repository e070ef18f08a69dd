# SPDX-License-Identifier: MIT
"""`Mat` of an array of another type reads its elements as those of the type of that size: float16, or signed integers.

Library: ncnn 1.0
Rules: DLC307
Clause: Python C API Buffer Protocol, version 3, Py_buffer.format
Impact: code that passes images of uint8 or uint16: other numbers, without an exception.
"""

import ncnn
import numpy

assert numpy.asarray(ncnn.Mat(numpy.array([1, 200], "u1"))).tolist() == [1, -56]
assert numpy.asarray(ncnn.Mat(numpy.array([15360], "u2"))).tolist() == [1.0]
