# SPDX-License-Identifier: MIT
"""CuPy: each element type in each view, each kind of memory including pinned memory, streams."""

import os
import sys
import zlib

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_here, "..", name) for name in ("healthy", "inspect")]
import cupy as cp  # noqa: E402
import cupyx  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import truth  # noqa: E402
import views  # noqa: E402

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16]


def make():
    for dtype in DTYPES:
        base = (cp.arange(12).reshape(3, 4) % 7).astype(dtype)
        yield from views.views(base.dtype.str[1:] if base.dtype.isbuiltin == 1 else "bfloat16", base)
    yield "record", cp.zeros(3, np.dtype([("a", "<i4"), ("b", "<f8")]))
    yield "void", cp.zeros(3, "V5")
    yield "broadcast", cp.broadcast_to(cp.arange(4.0), (3, 4))
    yield "fortran", cp.asfortranarray(cp.arange(12.0).reshape(3, 4))
    yield "large", cp.arange(1 << 22, dtype="f4")[::3]
    for non_blocking in (False, True):
        with cp.cuda.Stream(non_blocking=non_blocking):
            yield f"on_stream_{non_blocking}", cp.arange(1 << 20, dtype="f4") * 2
    with cp.cuda.Stream.ptds:
        yield "on_stream_of_thread", cp.arange(1 << 20, dtype="f4") * 2
    with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
        yield "managed", cp.arange(12.0).reshape(3, 4)
        yield "managed_transposed", cp.arange(12.0).reshape(3, 4).T
    with cp.cuda.using_allocator(cp.cuda.MemoryAsyncPool().malloc):
        yield "pool", cp.arange(12.0).reshape(3, 4)
    pinned = cupyx.zeros_pinned((3, 4), "f8")
    pinned[...] = np.arange(12.0).reshape(3, 4)
    yield "pinned", pinned


def truth_of(a):
    if isinstance(a, np.ndarray):
        return {"shape": a.shape, "strides_bytes": list(a.strides), "dtype": str(a.dtype), "pointer": a.ctypes.data,
                "memory.kind": "pinned", "checksum": f"{zlib.crc32(a.tobytes()):08x}"}
    found = {"shape": a.shape, "strides_bytes": list(a.strides), "itemsize": a.itemsize, "but": {"cuda": {}},
             "checksum": f"{zlib.crc32(cp.asnumpy(a).tobytes()):08x}"}
    if a.flags.c_contiguous:  # its dictionary then has no strides, and a dimension of one may have had any
        found["but"]["cuda"]["strides_bytes"] = None
    if a.dtype.kind != "V":
        found["dtype"] = str(a.dtype)
    elif a.dtype == ml_dtypes.bfloat16:  # which its dictionary cannot express
        found |= {"dtype": "bfloat16", "but": {"cuda": {**found["but"]["cuda"], "dtype": None}}}
    if a.size:
        managed = a.data.mem.__class__.__name__ == "ManagedMemory" or bool(
            cp.cuda.runtime.pointerGetAttributes(a.data.ptr).type == 3)
        found |= {"pointer": a.data.ptr, "memory.kind": "managed" if managed else "device", "memory.device.id": a.device.id,
                  "c_contiguous": a.flags.c_contiguous, "f_contiguous": a.flags.f_contiguous}
    return found


globals().update(make())
truth.write({k: truth_of(v) for k, v in list(globals().items()) if isinstance(v, (cp.ndarray, np.ndarray))})
