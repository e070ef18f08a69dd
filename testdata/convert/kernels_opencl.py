# SPDX-License-Identifier: MIT
"""Arrays in cl_mem, named after the kernel that copies each to C order, and some special ones: views of the buffer's
content."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs"))

from opencl_buffer import make
from producers import Dlpack


def array(dtype, shape, strides, offset=0, flags=0):
    """Strides and offset in elements, of a buffer with a pattern."""
    item = np.dtype(dtype).itemsize
    n_items = 1 + offset + sum(max(0, (n - 1) * s) for n, s in zip(shape, strides))
    base = (np.arange(n_items * item) % 251).astype("u1").view(dtype)
    view = np.lib.stride_tricks.as_strided(base[offset:], shape, [s * item for s in strides])
    return Dlpack(view, (4, 0), make(base, flags), byte_offset=offset * item)


fill4 = array("f4", (300, 9999), (1, 0))
transpose4 = array("f4", (1021, 129, 64), (8256, 1, 129))
transpose1_small = array("u1", (63, 20, 127, 16), (1, 8001, 63, 160020))
interleave3_1 = array("u1", (1 << 20, 3), (1, 1 << 20))
flat4 = array("f4", (400, 999), (1023, 1))
gather16 = array("f4", (100, 1000), (1024, 1))
gather8 = array("f8", (1000,), (2,))

backwards = array("f8", (40, 25), (-25, -1), offset=999)
readonly = array("f4", (100, 300), (1, 100))
readonly.values.flags.writeable = False
HOST_WRITE_ONLY, HOST_NO_ACCESS = 1 << 7, 1 << 9
write_only = array("f4", (1024, 1024), (1, 1024), flags=HOST_WRITE_ONLY)
no_access = array("f4", (1024, 1024), (1, 1024), flags=HOST_NO_ACCESS)
no_access_dense = array("f4", (100, 300), (300, 1), flags=HOST_NO_ACCESS)
