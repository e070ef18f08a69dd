# SPDX-License-Identifier: MIT
"""cuda.core: buffers of each memory resource, and strided views of each element type."""

import ctypes
import os
import sys
import zlib

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_here, "..", name) for name in ("healthy", "inspect")]
sys.path.insert(0, _here)
import cuda.core as core  # noqa: E402
import driver  # noqa: E402
import numpy as np  # noqa: E402
import truth  # noqa: E402
import views  # noqa: E402
from cuda.core.utils import StridedMemoryView  # noqa: E402

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
device = core.Device(0)
device.set_current()
stream = device.create_stream()
truths = {}


def buffers():
    yield "device", device.allocate(48, stream=stream), "device"
    yield "pinned", core.PinnedMemoryResource().allocate(48, stream=stream), "pinned"
    yield "managed", core.ManagedMemoryResource().allocate(48, stream=stream), "managed"
    yield "legacy_pinned", core.LegacyPinnedMemoryResource().allocate(48), "pinned"
    yield "mapped", core.VirtualMemoryResource(device).allocate(1 << 21), "device"
    yield "on_default_stream", device.allocate(48, stream=device.default_stream), "device"


def view_of(buffer, array):
    """The view of the buffer that array is of its base; strides are in bytes in NumPy."""
    base = array if array.base is None else array.base
    offset = array.ctypes.data - base.ctypes.data
    part = core.Buffer.from_handle(int(buffer.handle) + offset, buffer.size - offset, owner=buffer)
    strides = None if array.flags.c_contiguous else tuple(s // array.itemsize for s in array.strides)
    return StridedMemoryView.from_buffer(part, array.shape, strides, dtype=array.dtype)


def strides_of(array):
    """For contiguous arrays, whose strides are not set, since they follow from the shape."""
    return np.empty(array.shape, array.dtype).strides if array.flags.c_contiguous else array.strides


def make():
    for name, buffer, kind in buffers():
        stream.sync()
        driver.call("cuMemcpy", driver.u64(int(buffer.handle)), driver.u64(ctypes.addressof(_zeros)), ctypes.c_size_t(48))
        truths["buffer_" + name] = {"shape": [buffer.size], "pointer": int(buffer.handle), "memory.kind": kind}
        yield "buffer_" + name, buffer
    for dtype in DTYPES:
        base = (np.arange(12) % 7).astype(dtype)
        buffer = device.allocate(base.nbytes, stream=stream)
        stream.sync()
        driver.fill(int(buffer.handle), base.tobytes())
        base = base.reshape(3, 4)
        for name, array in views.views(dtype.replace("?", "b"), base):
            if array.size and min((*array.strides, 0)) >= 0:  # from_buffer refuses strides that exceed its buffer
                view = view_of(buffer, array)
                truths[name] = {"shape": list(array.shape), "itemsize": array.itemsize, "dtype": str(array.dtype),
                                "strides_bytes": list(strides_of(array)), "memory.kind": "device",
                                "pointer": int(buffer.handle) + array.ctypes.data - base.ctypes.data,
                                "checksum": f"{zlib.crc32(array.tobytes()):08x}"}
                yield name, view


_zeros = (ctypes.c_char * 48)()
globals().update(make())
truth.write(truths)
