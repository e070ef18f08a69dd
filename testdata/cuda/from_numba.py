# SPDX-License-Identifier: MIT
"""Numba: each element type and view, records, managed and mapped memory, streams."""

import os
import sys
import zlib

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_here, "..", name) for name in ("healthy", "inspect")]
import numpy as np  # noqa: E402
import truth  # noqa: E402
from numba import cuda  # noqa: E402

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
RARE = {"date": "M8[s]", "span": "m8[s]", "text": "S3", "wide_text": "U2", "void": "V5", "big_endian": ">f4", "long_double": "g"}


class Broadcast:
    """Three rows, all of which are array; Numba has no function for this."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "shape": (3, *array.shape), "strides": (0, 4)}


def make():
    for dtype in DTYPES:
        name = dtype.replace("?", "b")
        base = cuda.to_device((np.arange(12).reshape(3, 4) % 7).astype(dtype))
        yield name, base
        yield name + "_sliced", base[1:, ::2]
        yield name + "_column", base[:, 1]
        yield name + "_transposed", cuda.to_device(np.asfortranarray(base.copy_to_host()))
        for suffix, index in (("_reversed", slice(None, None, -1)), ("_all_reversed", (slice(None, None, -1),) * 2)):
            view = base[index]
            _hosts[id(view)] = base.copy_to_host()[index]
            yield name + suffix, view
        yield name + "_empty", cuda.device_array((0, 3), dtype)
        yield name + "_empty_inside", base[1:1, ::2]
        yield name + "_0d", cuda.to_device(np.ones((), dtype))
    for name, dtype in RARE.items():
        yield name, cuda.to_device(np.zeros(3, dtype))
    yield "broadcast", cuda.as_cuda_array(Broadcast(cuda.to_device(np.arange(4, dtype="f4"))))
    for name, stream in (("on_stream", cuda.stream()), ("on_other_stream", cuda.stream())):
        yield name, cuda.to_device(np.arange(12, dtype="f4"), stream=stream)
    yield "record", cuda.to_device(np.zeros(3, [("a", "<i4"), ("b", "<f8")]))
    managed = cuda.managed_array((3, 4), "f4")
    managed[:] = 3
    yield "managed", managed
    mapped = cuda.mapped_array((3, 4), "f4")
    mapped[:] = 4
    yield "mapped", mapped
    cuda.synchronize()


_hosts = {}  # of arrays that Numba cannot copy: negative strides
KINDS = {"ManagedNDArray": "managed", "MappedNDArray": "pinned", "DeviceNDArray": "device"}


def truth_of(array):
    if 0 in array.strides:  # a copy of it would read past its memory
        return {"shape": list(array.shape), "itemsize": array.dtype.itemsize}
    if id(array) in _hosts:
        host = _hosts[id(array)]
    else:
        host = np.asarray(array) if hasattr(array, "ctypes") else array.copy_to_host()
    found = {"shape": list(array.shape), "strides_bytes": list(array.strides), "itemsize": array.dtype.itemsize,
             "checksum": f"{zlib.crc32(np.ascontiguousarray(host).tobytes()):08x}"}
    if array.dtype.kind in "biufc" and array.dtype.isnative and array.dtype != np.longdouble:
        found["dtype"] = str(array.dtype)
    if array.size:
        found |= {"pointer": array.device_ctypes_pointer.value, "memory.kind": KINDS[type(array).__name__]}
    return found


globals().update(make())
truth.write({k: truth_of(v) for k, v in list(globals().items()) if type(v).__name__ in KINDS})
