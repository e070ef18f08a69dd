"""A buffer in an order that the array does not have is refused by ValueError.

Library: numpy
Rules: BUF701
Clause: Python C API Buffer Protocol, version 3, PyObject_GetBuffer (a request that cannot be met raises BufferError)
Hurts: who asks for contiguous bytes first, and copies on BufferError; the memoryview of the same array raises it.
"""

import zlib

import numpy

for thing, expected in ((numpy.zeros(8)[::2], ValueError), (memoryview(numpy.zeros(8)[::2]), BufferError)):
    try:
        zlib.crc32(thing)
        raise AssertionError("granted")
    except expected:
        pass
