# SPDX-License-Identifier: MIT
"""`__dlpack__(dl_device=(1, 0))`, which requests host memory, accepts a stream as well.

Library: CuPy 14.2, PyTorch 2.11, JAX 0.11.2
Rules: DLP610
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream; array.__dlpack__ dl_device
Impact: code that passes a device's stream for host memory and expects the elements to be ordered on it. JAX refuses
    it for arrays on the GPU, and accepts it for pinned memory.
"""

import cupy
import jax
import torch

sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
for array in cupy.ones(3), torch.ones(3, device="cuda"), jax.device_put(jax.numpy.ones(3), sharding):
    assert "capsule" in repr(array.__dlpack__(max_version=(1, 3), dl_device=(1, 0), stream=1))
