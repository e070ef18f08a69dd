# SPDX-License-Identifier: MIT
"""`cupy.asarray` of an object whose memory is read-only returns a writable array that shares it.

Library: CuPy 14.2
Rules: DLC308
Clause: CUDA Array Interface, version 3, data (the flag for read-only memory)
Impact: code that passes constant or shared memory: a write changes what its owner declared constant.
"""

import cupy


class Constant:
    owner = cupy.zeros(3)
    __cuda_array_interface__ = dict(owner.__cuda_array_interface__, data=(owner.data.ptr, True))


cupy.asarray(Constant())[0] = 1
assert Constant.owner[0] == 1
