# SPDX-License-Identifier: MIT
"""JAX on the CPU: each element type in each shape, keys, and arrays over two devices."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

jax.config.update("jax_enable_x64", True)

DTYPES = """bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64
    float16 float32 float64 bfloat16 complex64 complex128 float4_e2m1fn float8_e3m4 float8_e4m3
    float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu""".split()


def make():
    for dtype in DTYPES:
        base = jnp.zeros((3, 4), dtype)
        yield dtype, base
        yield dtype + "_transposed", base.T
        yield dtype + "_0d", base[1, 2]
        yield dtype + "_empty", base[:0]
        yield dtype + "_allocated_empty", jnp.zeros((0, 3), dtype)
        yield dtype + "_one_row", base[:1]
        yield dtype + "_one_element", base[2:, 3:]
    yield "on_second_device", jax.device_put(np.ones((2, 3)), jax.devices()[1])
    mesh = Mesh(jax.devices(), "x")
    yield "sharded", jax.device_put(np.ones((4, 3)), NamedSharding(mesh, PartitionSpec("x")))
    yield "replicated", jax.device_put(np.ones((4, 3)), NamedSharding(mesh, PartitionSpec()))
    yield "from_host", jnp.asarray(np.arange(12.0).reshape(3, 4))
    yield "from_host_unaligned", jnp.asarray(np.zeros(97, "u1")[1:].view("f8"))
    yield "from_dlpack", jax.dlpack.from_dlpack(np.arange(6.0))
    yield "key", jax.random.key(0)
    yield "raw_key", jax.random.PRNGKey(0)
    yield "large", jnp.ones((1 << 20) + 1)


globals().update(make())
