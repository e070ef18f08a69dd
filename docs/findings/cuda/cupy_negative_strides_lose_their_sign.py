# SPDX-License-Identifier: MIT
"""Negative strides are divided by the element's size without their sign: -16 bytes of 4 become 2^62 - 4 elements.

Library: CuPy 14.2
Rules: DLP310
Clause: dlpack.h, version 1.3, DLTensor.strides
Hurts: consumers that check how far an array reaches, or compare strides; right it is only where they multiply it back
    in 64 bits that wrap. Elements of one byte are not divided, and right. `torch.from_dlpack` of any such array ends the
    process.
"""

import ctypes

import cupy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = cupy.arange(12, dtype="i4").reshape(3, 4)[::-1].__dlpack__()
strides = ctypes.c_void_p.from_address(get(capsule, b"dltensor") + 32).value
assert ctypes.c_int64.from_address(strides).value == 2**62 - 4
