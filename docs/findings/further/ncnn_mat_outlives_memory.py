# SPDX-License-Identifier: MIT
"""`Mat` of an array uses its memory without a reference to it, and releases the buffer at once.

Library: ncnn 1.0
Rules: DLC705
Clause: Python C API Buffer Protocol, version 3, PyBuffer_Release
Impact: code that passes an array that nothing else refers to, such as a slice or the result of a function: the matrix
    is freed memory, and the process crashes if it was a mapping.
"""

import os

import ncnn
import numpy

matrix = ncnn.Mat(numpy.ones(1 << 24, "f4"))
os.fork() or os._exit(numpy.asarray(matrix)[0] == 1)
assert os.WTERMSIG(os.wait()[1]) == 11
