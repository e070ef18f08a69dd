# SPDX-License-Identifier: MIT
"""The property raises KeyError for types that have no word, and RuntimeError for a tensor that needs a gradient.

Library: PyTorch 2.11
Rules: CAI001
Clause: CUDA Array Interface, version 3, Python Interface Specification
Hurts: consumers that ask `hasattr(x, "__cuda_array_interface__")`: only AttributeError means that there is none, and
    their users see an error of PyTorch's instead of the next protocol tried.
"""

import torch

for tensor, kind in ((torch.zeros(3, device="cuda").to(torch.float8_e5m2), KeyError),
                     (torch.ones(3, device="cuda", requires_grad=True), RuntimeError)):
    try:
        hasattr(tensor, "__cuda_array_interface__")
        raise AssertionError("it answered")
    except kind:
        pass
