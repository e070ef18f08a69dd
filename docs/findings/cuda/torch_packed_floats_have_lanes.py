# SPDX-License-Identifier: MIT
"""float4_e2m1fn_x2 is exported as a vector of two lanes.

Library: PyTorch 2.11
Rules: DLP204
Clause: dlpack.h, version 1.3, DLDataType.lanes
Impact: consumers that reject vectors, as PyTorch's own `from_dlpack` does. dlpack.h specifies one lane and a
    dimension that counts the elements.
"""

import ctypes

import torch

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
tensor = torch.empty(3, dtype=torch.float4_e2m1fn_x2, device="cuda")
capsule = tensor.__dlpack__()
assert ctypes.c_uint16.from_address(get(capsule, b"dltensor") + 22).value == 2
