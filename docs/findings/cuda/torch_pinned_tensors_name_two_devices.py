# SPDX-License-Identifier: MIT
"""`__dlpack_device__` of a pinned tensor returns kDLCUDAHost, but its capsule contains kDLCPU.

Library: PyTorch 2.11
Rules: DLP501
Clause: Python array API standard, version 2025.12, array.__dlpack_device__
Impact: consumers that prepare for the reported device: the capsule contains an array on another device.
"""

import ctypes

import torch

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
pinned = torch.ones(3).pin_memory()
capsule = pinned.__dlpack__()
assert pinned.__dlpack_device__()[0] == 3
assert ctypes.c_int.from_address(get(capsule, b"dltensor") + 8).value == 1
