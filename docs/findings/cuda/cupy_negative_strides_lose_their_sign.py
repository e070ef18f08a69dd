# SPDX-License-Identifier: MIT
"""Negative strides are divided by the element size as unsigned numbers: -16 bytes for elements of 4 become 2^62 - 4
elements.

Library: CuPy 14.2
Rules: DLP310
Clause: dlpack.h, version 1.3, DLTensor.strides
Impact: consumers that check the extent of an array or compare strides. The result is correct only if they multiply
    the strides back in wrapping 64-bit arithmetic. Elements of one byte are not divided and are correct.
    `torch.from_dlpack` of any such array aborts the process.
"""

import ctypes

import cupy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = cupy.arange(12, dtype="i4").reshape(3, 4)[::-1].__dlpack__()
strides = ctypes.c_void_p.from_address(get(capsule, b"dltensor") + 32).value
assert ctypes.c_int64.from_address(strides).value == 2**62 - 4
