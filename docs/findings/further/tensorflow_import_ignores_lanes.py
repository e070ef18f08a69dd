# SPDX-License-Identifier: MIT
"""`tensorflow.experimental.dlpack.from_dlpack` returns single numbers for vectors of dtype.lanes numbers.

Library: tensorflow 2.21
Rules: DLC304
Clause: dlpack.h, version 1.3, DLDataType.lanes
Impact: users who pass tensors of vectors: half of the numbers are missing and the others are at wrong positions.
"""

import ctypes

import numpy
import tensorflow

capsule = numpy.arange(6, dtype="f4").__dlpack__()
managed = ctypes.c_int64.from_address(id(capsule) + 16).value  # the pointer of the capsule
ctypes.c_int64.from_address(ctypes.c_int64.from_address(managed + 24).value).value = 3  # shape[0]
ctypes.c_uint16.from_address(managed + 22).value = 2  # dtype.lanes
tensor = tensorflow.experimental.dlpack.from_dlpack(capsule)
assert tensor.numpy().tolist() == [0, 1, 2]  # the vectors are (0, 1), (2, 3), (4, 5)
