# SPDX-License-Identifier: MIT
"""The `typestr` of bfloat16 is '<V2', two bytes of no type.

Library: CuPy 14.2, PyTorch 2.11
Rules: CAI204
Clause: CUDA Array Interface, version 3, typestr
Hurts: consumers get bytes that no kernel computes with, or take them for another type of two bytes. DLPack has a word for
    bfloat16, and both use it there; JAX says that it has none here, by AttributeError.
"""

import cupy
import ml_dtypes
import torch

for array in cupy.ones(3, ml_dtypes.bfloat16), torch.ones(3, dtype=torch.bfloat16, device="cuda"):
    interface = array.__cuda_array_interface__
    assert interface["typestr"] == "<V2"
    assert interface.get("descr", [("", "<V2")]) == [("", "<V2")]
