# SPDX-License-Identifier: MIT
"""Views without elements are exported with a non-NULL address.

Library: CuPy 14.2
Rules: DLP401
Clause: dlpack.h, version 1.3, DLTensor.data ("if the tensor is of size zero")
Impact: consumers that look up or map the address in `data`: it need not point to memory of the array.
"""

import ctypes

import cupy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = cupy.ones(3)[:0].__dlpack__()
assert ctypes.c_void_p.from_address(get(capsule, b"dltensor")).value
