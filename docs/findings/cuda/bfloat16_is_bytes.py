# SPDX-License-Identifier: MIT
"""`typestr` of bfloat16 is '<V2', two bytes without a type.

Library: CuPy 14.2, PyTorch 2.11
Rules: CAI204
Clause: CUDA Array Interface, version 3, typestr
Impact: consumers get bytes that no kernel can compute with, or interpret them as another two-byte type. DLPack
    supports bfloat16, and both libraries use it there; JAX raises AttributeError for the CUDA Array Interface.
"""

import cupy
import ml_dtypes
import torch

for array in cupy.ones(3, ml_dtypes.bfloat16), torch.ones(3, dtype=torch.bfloat16, device="cuda"):
    interface = array.__cuda_array_interface__
    assert interface["typestr"] == "<V2"
    assert interface.get("descr", [("", "<V2")]) == [("", "<V2")]
