# SPDX-License-Identifier: MIT
"""`warp.from_dlpack` of vectors, `lanes` numbers each, takes their strides as those of numbers.

Library: warp-lang 1.19
Rules: DLC304
Clause: dlpack.h, version 1.3, DLDataType.lanes
Impact: users who pass tensors of vectors: the vectors overlap, and half of the numbers are missing.
"""

import ctypes

import numpy
import warp

warp.init()
capsule = numpy.arange(6, dtype="f4").__dlpack__()
managed = ctypes.c_int64.from_address(id(capsule) + 16).value  # the pointer of the capsule
ctypes.c_int64.from_address(ctypes.c_int64.from_address(managed + 24).value).value = 3  # shape[0]
ctypes.c_uint16.from_address(managed + 22).value = 2  # dtype.lanes
assert warp.from_dlpack(capsule).numpy().tolist() == [[0, 1], [1, 2], [2, 3]]  # not (0, 1), (2, 3), (4, 5)
