# SPDX-License-Identifier: MIT
"""Numba: each element type and view, records, managed, mapped and pinned memory."""

import os
import sys
import zlib

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_here, "..", name) for name in ("healthy", "inspect")]
import numpy as np  # noqa: E402
import truth  # noqa: E402
from numba import cuda  # noqa: E402

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def make():
    for dtype in DTYPES:
        name = dtype.replace("?", "b")
        base = cuda.to_device((np.arange(12).reshape(3, 4) % 7).astype(dtype))
        yield name, base
        yield name + "_sliced", base[1:, ::2]
        yield name + "_column", base[:, 1]
        yield name + "_transposed", cuda.to_device(np.asfortranarray(base.copy_to_host()))
        yield name + "_empty", cuda.device_array((0, 3), dtype)
    yield "record", cuda.to_device(np.zeros(3, [("a", "<i4"), ("b", "<f8")]))
    managed = cuda.managed_array((3, 4), "f4")
    managed[:] = 3
    yield "managed", managed
    mapped = cuda.mapped_array((3, 4), "f4")
    mapped[:] = 4
    yield "mapped", mapped
    cuda.synchronize()


def truth_of(array):
    host = array.copy_to_host() if hasattr(array, "copy_to_host") and not hasattr(array, "ctypes") else np.asarray(array)
    found = {"shape": list(array.shape), "strides_bytes": list(array.strides), "itemsize": array.dtype.itemsize,
             "checksum": f"{zlib.crc32(np.ascontiguousarray(host).tobytes()):08x}"}
    if array.dtype.names is None:
        found["dtype"] = str(array.dtype)
    if array.size:
        found["pointer"] = array.__cuda_array_interface__["data"][0]
    return found


globals().update(make())
truth.write({k: truth_of(v) for k, v in list(globals().items()) if hasattr(v, "__cuda_array_interface__")})
