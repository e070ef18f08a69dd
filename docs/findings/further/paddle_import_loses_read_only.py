# SPDX-License-Identifier: MIT
"""`paddle.utils.dlpack.from_dlpack` of a read-only array returns a tensor that can be written to.

Library: paddlepaddle 3.3
Rules: DLC308
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY
Impact: users of read-only arrays: an in-place operation on the tensor changes their elements.
"""

import numpy
import paddle

array = numpy.zeros(3, "f4")
array.flags.writeable = False
paddle.utils.dlpack.from_dlpack(array).fill_(1)
assert array.tolist() == [1, 1, 1] and not array.flags.writeable
