# SPDX-License-Identifier: MIT
"""What `broadcast_arrays` gives is exported as writable, although all of its rows are the same memory.

Library: numpy
Clause: derived from dlpack.h, version 1.3, DLTensor.strides; DLPACK_FLAG_BITMASK_READ_ONLY
Hurts: NumPy warns whoever writes to such an array; a consumer of the capsule writes to all rows at once, unwarned.
"""

import numpy

rows, _ = numpy.broadcast_arrays(numpy.zeros(3), numpy.zeros((4, 3)))
taken = numpy.from_dlpack(rows)
assert taken.flags.writeable
taken[0, 0] = 7
assert rows[3, 0] == 7
