# SPDX-License-Identifier: MIT
"""`__dlpack_device__()` of masked tensors and of tensors in `vmap` raises TypeError or RuntimeError.

Library: PyTorch 2.15
Rules: DLP002
Clause: Python array API standard, version 2025.12, array.__dlpack_device__ Returns ("a tuple")
Impact: consumers that query the device first, as `jax.dlpack.from_dlpack` does: users get an error of PyTorch's
    dispatcher. `numpy.from_dlpack`, which does not query it, returns uninitialized memory of a masked tensor (DLP402).
"""

import torch

def raises(tensor, expected):
    try:
        tensor.__dlpack_device__()
        raise AssertionError("returned")
    except expected:
        return tensor

raises(torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False])), TypeError)
torch.vmap(lambda tensor: raises(tensor, RuntimeError))(torch.ones(2, 3))
