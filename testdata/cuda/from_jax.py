# SPDX-License-Identifier: MIT
"""JAX on a GPU: each element type, pinned memory. It has no views."""

import os
import sys
import zlib

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_here, "..", name) for name in ("healthy", "inspect")]
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import truth  # noqa: E402

jax.config.update("jax_enable_x64", True)
DTYPES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16 complex64 complex128
    float8_e4m3fn float8_e5m2 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2fnuz
    float8_e8m0fnu""".split()
OF_PARTS = "float4_e2m1fn float6_e2m3fn float6_e3m2fn int1 int2 int4 uint2 uint4".split()  # smaller than a byte, on the device


def make():
    for dtype in DTYPES:
        base = (jnp.arange(12).reshape(3, 4) % 7).astype(dtype)
        yield dtype, base
        yield dtype + "_transposed", base.T
        yield dtype + "_0d", base[1, 2]
        yield dtype + "_empty", base[:0]
    for dtype in OF_PARTS:
        yield dtype, (jnp.arange(12).reshape(3, 4) % 2).astype(dtype)
    yield "broadcast", jnp.broadcast_to(jnp.arange(4.0), (3, 4))
    pinned = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
    yield "pinned", jax.device_put(jnp.arange(12.0).reshape(3, 4), pinned)
    yield "large", jnp.arange(1 << 20, dtype="f4") * 2
    yield "from_host", jnp.asarray(np.arange(12.0).reshape(3, 4))


def truth_of(array):
    if str(array.dtype) in OF_PARTS:
        return {"shape": list(array.shape), "pointer": array.unsafe_buffer_pointer(), "memory.kind": "device"}
    host = np.asarray(array)
    found = {"shape": list(array.shape), "itemsize": array.dtype.itemsize, "dtype": str(array.dtype), "but": {},
             "checksum": f"{zlib.crc32(host.tobytes()):08x}"}
    if array.size:
        found |= {"pointer": array.unsafe_buffer_pointer(), "memory.kind": "device" if array.sharding.memory_kind == "device" else "pinned"}
    return found


globals().update(make())
truth.write({k: truth_of(v) for k, v in list(globals().items()) if isinstance(v, jax.Array)})
