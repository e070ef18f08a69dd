# SPDX-License-Identifier: MIT
"""`__dlpack__(dl_device=(1, 0), copy=False)`, which is impossible, raises ValueError instead of BufferError.

Library: CuPy 14.2, PyTorch 2.11, JAX 0.11.2
Rules: DLP506
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises; array.__dlpack__ dl_device
Impact: consumers that request host memory without a copy and catch only BufferError.
"""

import cupy
import jax.numpy
import torch

for array in cupy.ones(3), torch.ones(3, device="cuda"), jax.numpy.ones(3):
    try:
        array.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False)
        raise AssertionError("exported")
    except ValueError as error:
        assert not isinstance(error, BufferError)
