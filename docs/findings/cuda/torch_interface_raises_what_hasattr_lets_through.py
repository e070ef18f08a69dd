# SPDX-License-Identifier: MIT
"""The property raises KeyError for element types that have no typestr.

Library: PyTorch 2.11
Rules: CAI001
Clause: CUDA Array Interface, version 3, Python Interface Specification
Hurts: consumers that ask `hasattr(x, "__cuda_array_interface__")`: only AttributeError means that there is none, and
    their users see an error of PyTorch's instead of the next protocol tried.
"""

import torch

tensor = torch.zeros(3, device="cuda").to(torch.float8_e5m2)
try:
    hasattr(tensor, "__cuda_array_interface__")
    raise AssertionError("it answered")
except KeyError:
    pass
