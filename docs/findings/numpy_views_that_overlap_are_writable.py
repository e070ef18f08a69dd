# SPDX-License-Identifier: MIT
"""`meshgrid(copy=False)` and `as_strided` return writable views in which several indices share memory.

Library: numpy
Clause: derived from dlpack.h, version 1.3, DLTensor.strides; DLPACK_FLAG_BITMASK_READ_ONLY
Impact: consumers that write the rows in parallel or assume distinct elements. NumPy's documentation warns
    about this; DLPack has no flag for it.
"""

import numpy

rows = numpy.meshgrid(numpy.arange(3.0), numpy.arange(4.0), copy=False)[0]
assert rows.shape == (4, 3) and rows.strides == (0, 8) and rows.flags.writeable
taken = numpy.from_dlpack(rows)
taken[0, 0] = 7
assert taken[3, 0] == 7
