# SPDX-License-Identifier: MIT
"""`__dlpack__(copy=True)` returns a copy that is not flagged as one.

Library: PyTorch 2.11
Rules: DLP802
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_IS_COPIED
Impact: consumers copy again before they write, or assume that the producer sees their writes.
"""

import ctypes

import torch

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
tensor = torch.ones(3, device="cuda")
managed = get(tensor.__dlpack__(max_version=(1, 0), copy=True), b"dltensor_versioned")
flags, data = (ctypes.c_uint64 * 2).from_address(managed + 24)
assert data != tensor.data_ptr() and not flags & 2
