# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=0)` succeeds: CuPy warns that it means the legacy default stream, JAX and cuda.core accept it
silently.

Library: CuPy 14.2, JAX 0.11.2, cuda.core 1.2
Rules: DLP603
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("0 is disallowed due to its ambiguity")
Impact: consumers whose stream 0 is the per-thread default stream: they may read before the producer has written.
"""

import cupy
import jax.numpy
from cuda.core import Device

device = Device(0)
device.set_current()
for array in cupy.ones(3), jax.numpy.ones(3), device.allocate(48, stream=device.default_stream):
    assert "capsule" in repr(array.__dlpack__(stream=0))
