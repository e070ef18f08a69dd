# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` raises KeyError for element types without a typestr.

Library: PyTorch 2.11
Rules: CAI001
Clause: CUDA Array Interface, version 3, Python Interface Specification
Impact: consumers that test `hasattr(x, "__cuda_array_interface__")`: only AttributeError means that the attribute is
    missing, so their users see a PyTorch error instead of the next protocol being tried.
"""

import torch

tensor = torch.zeros(3, device="cuda").to(torch.float8_e5m2)
try:
    hasattr(tensor, "__cuda_array_interface__")
    raise AssertionError("returned")
except KeyError:
    pass
