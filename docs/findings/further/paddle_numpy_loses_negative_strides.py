# SPDX-License-Identifier: MIT
"""`numpy()` and `tolist()` of a paddle tensor whose strides are negative return memory that was never written.

Library: paddlepaddle 3.3
Clause: dlpack.h, version 1.3, DLTensor.strides
Impact: users who pass reversed arrays to `from_dlpack`: elements from earlier allocations of the process, without an error, or
    a MemoryError for 2^64 bytes.
"""

import numpy
import paddle

reversed_rows = numpy.arange(6, dtype="f4").reshape(2, 3)[:, ::-1]
tensor = paddle.utils.dlpack.from_dlpack(reversed_rows)
assert numpy.from_dlpack(tensor).tolist() == reversed_rows.tolist()
assert tensor.numpy().tolist() != reversed_rows.tolist()
