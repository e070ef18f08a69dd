# SPDX-License-Identifier: MIT
"""`numba.cuda.as_cuda_array` of an object whose memory is read-only returns a writable array that shares it.

Library: Numba 0.68
Rules: DLC308
Clause: CUDA Array Interface, version 3, data (the flag for read-only memory)
Impact: code that passes constant or shared memory: a write changes what its owner declared constant.
"""

import numpy
from numba import cuda


class Constant:
    owner = cuda.to_device(numpy.zeros(3))
    __cuda_array_interface__ = dict(owner.__cuda_array_interface__, data=(owner.device_ctypes_pointer.value, True))


shared = cuda.as_cuda_array(Constant())
assert shared.__cuda_array_interface__["data"] == (Constant.owner.device_ctypes_pointer.value, False)
shared.copy_to_device(numpy.ones(3))
assert Constant.owner.copy_to_host()[0] == 1
