# SPDX-License-Identifier: MIT
"""int1 to int7 and uint1 to uint7 are exported as int8 and uint8.

Library: PyTorch 2.11
Rules: DLP209
Clause: dlpack.h, version 1.3, DLTensor.dtype
Impact: round trips of such tensors: the range of the values is lost, and consumers cannot detect it.
"""

import ctypes

import torch

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
for dtype, code in (torch.int4, 0), (torch.uint1, 1):
    capsule = torch.empty(3, dtype=dtype, device="cuda").__dlpack__()
    at = get(capsule, b"dltensor") + 20
    assert list((ctypes.c_uint8 * 2).from_address(at)) == [code, 8]
