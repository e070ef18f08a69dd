# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=..., copy=True)` copies on a private stream instead of the one passed.

Library: JAX 0.11.2
Rules: DLP611
Clause: Python array API standard, version 2025.12, array.__dlpack__ copy
Impact: code that expects the copy to be ordered after the work already queued on its stream.
"""

import cupy
import jax
import jax.numpy as jnp

spin = cupy.RawKernel('extern "C" __global__ void spin() { long long t = clock64(); while (clock64() - t < 8000000000) {} }', "spin")
array, stream = jnp.full(4, 3.0).block_until_ready(), cupy.cuda.Stream(non_blocking=True)
spin((1,), (1,), (), stream=stream)
copy = jax.dlpack.from_dlpack(type("Copy", (), {"__dlpack_device__": lambda self: array.__dlpack_device__(),
                              "__dlpack__": lambda self, **_: array.__dlpack__(stream=stream.ptr, copy=True)})())
assert copy.unsafe_buffer_pointer() != array.unsafe_buffer_pointer()
memory = cupy.cuda.UnownedMemory(copy.unsafe_buffer_pointer(), 16, copy)
values = cupy.ndarray(4, "float32", cupy.cuda.MemoryPointer(memory, 0))
reader = cupy.cuda.Stream(non_blocking=True)
while values.get(stream=reader).tolist() != [3, 3, 3, 3]:  # nothing orders the copy before this read either
    assert not stream.done
assert not stream.done
