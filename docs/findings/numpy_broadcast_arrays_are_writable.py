# SPDX-License-Identifier: MIT
"""Results of `broadcast_arrays` are read-only through the array interface and the buffer protocol, but writable
through DLPack.

Library: numpy
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY; NumPy array interface protocol, version 3, data
Impact: DLPack consumers that write to one element: they change all elements that share its memory.
"""

import numpy

rows = numpy.broadcast_arrays(numpy.zeros(3), numpy.zeros((4, 3)))[0]
assert rows.__array_interface__["data"][1] and memoryview(rows).readonly
taken = numpy.from_dlpack(rows)
assert taken.flags.writeable
taken[0, 0] = 7
assert taken[3, 0] == 7
