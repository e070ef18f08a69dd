# SPDX-License-Identifier: MIT
"""`paddle.utils.dlpack.from_dlpack` reads at `data` and ignores `byte_offset`.

Library: paddlepaddle 3.3
Rules: DLC301
Clause: dlpack.h, version 1.3, DLTensor.byte_offset
Impact: users who pass views of libraries that keep the address of the allocation in data: other elements, without an
    error.
"""

import ctypes

import numpy
import paddle

capsule = numpy.arange(4, dtype="i4").__dlpack__()
managed = ctypes.c_int64.from_address(id(capsule) + 16).value  # the pointer of the capsule
ctypes.c_int64.from_address(ctypes.c_int64.from_address(managed + 24).value).value = 3  # shape[0]
ctypes.c_uint64.from_address(managed + 40).value = 4  # byte_offset
assert paddle.utils.dlpack.from_dlpack(capsule).tolist() == [0, 1, 2]  # not 1, 2, 3
