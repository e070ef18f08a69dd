# SPDX-License-Identifier: MIT
"""`paddle.utils.dlpack.from_dlpack` never calls the deleter of a tensor whose `manager_ctx` is NULL.

Library: paddlepaddle 3.3
Rules: DLC703
Clause: dlpack.h, version 1.3, DLManagedTensor.manager_ctx ("It can also be NULL")
Impact: exporters that keep nothing in manager_ctx, which may be NULL: their memory is leaked.
"""

import ctypes

import numpy
import paddle

calls = []
deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(calls.append)
for context, capsule in (1, numpy.ones(3).__dlpack__()), (0, numpy.ones(3).__dlpack__()):
    managed = ctypes.c_int64.from_address(id(capsule) + 16).value  # the pointer of the capsule
    (ctypes.c_int64 * 2).from_address(managed + 48)[:] = context, ctypes.cast(deleter, ctypes.c_void_p).value
    paddle.utils.dlpack.from_dlpack(capsule)
    assert len(calls) == 1  # only that of the first capsule was called
