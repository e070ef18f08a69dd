# SPDX-License-Identifier: MIT
"""What `broadcast_arrays` gives is read-only by the array interface and by the buffer, and writable by DLPack.

Library: numpy
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY; NumPy array interface protocol, version 3, data
Hurts: a DLPack consumer that writes to one element writes to all that share its memory; consumers of the other
    interfaces are told not to.
"""

import numpy

rows = numpy.broadcast_arrays(numpy.zeros(3), numpy.zeros((4, 3)))[0]
assert rows.__array_interface__["data"][1] and memoryview(rows).readonly
taken = numpy.from_dlpack(rows)
assert taken.flags.writeable
taken[0, 0] = 7
assert taken[3, 0] == 7
