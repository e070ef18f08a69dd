# SPDX-License-Identifier: MIT
"""`from_dlpack` of a read-only array returns a tensor that can be written to.

Library: numkong 7.8
Rules: DLC308
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY
Impact: users of read-only arrays: writing to the tensor changes their elements.
"""

import numkong
import numpy

array = numpy.zeros(3)
array.flags.writeable = False
numpy.asarray(numkong.from_dlpack(array))[0] = 1
assert array[0] == 1
