"""A request for a buffer in an order that the array does not have raises ValueError.

Library: numpy
Rules: BUF701
Clause: Python C API Buffer Protocol, version 3, PyObject_GetBuffer (a request that cannot be met raises BufferError)
Impact: code that requests contiguous bytes and copies after a BufferError. A memoryview of the same array raises
    BufferError.
"""

import zlib

import numpy

for source, expected in ((numpy.zeros(8)[::2], ValueError), (memoryview(numpy.zeros(8)[::2]), BufferError)):
    try:
        zlib.crc32(source)
        raise AssertionError("granted")
    except expected:
        pass
