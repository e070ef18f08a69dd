# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=..., copy=True)` copies on a private stream instead of the one passed.

Library: JAX 0.11.2
Rules: DLP611
Clause: Python array API standard, version 2025.12, array.__dlpack__ copy
Impact: code that expects the copy to be ordered after the work already queued on its stream.
"""

import cupy
import jax

spin = cupy.RawKernel('extern "C" __global__ void spin() { long long t = clock64(); while (clock64() - t < 8000000000) {} }', "spin")
array, stream = jax.numpy.full(4, 3.0).block_until_ready(), cupy.cuda.Stream(non_blocking=True)
spin((1,), (1,), (), stream=stream)
copy = jax.dlpack.from_dlpack(type("Copy", (), {"__dlpack_device__": lambda self: array.__dlpack_device__(),
                              "__dlpack__": lambda self, **_: array.__dlpack__(stream=stream.ptr, copy=True)})())
memory = cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(copy.unsafe_buffer_pointer(), 16, copy), 0)
while cupy.ndarray(4, "f4", memory).get(stream=cupy.cuda.Stream(non_blocking=True)).tolist() != [3, 3, 3, 3]: assert not stream.done
assert copy.unsafe_buffer_pointer() != array.unsafe_buffer_pointer() and not stream.done
