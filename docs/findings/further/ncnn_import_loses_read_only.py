# SPDX-License-Identifier: MIT
"""`Mat` of a read-only array can be written to.

Library: ncnn 1.0
Rules: DLC308
Clause: Python C API Buffer Protocol, version 3, PyBUF_WRITABLE
Impact: users of read-only arrays: an in-place operation on the matrix changes their elements, or crashes the process.
"""

import ncnn
import numpy

array = numpy.zeros(4, "f4")
array.flags.writeable = False
ncnn.Mat(array).fill(1.0)
assert array[0] == 1
