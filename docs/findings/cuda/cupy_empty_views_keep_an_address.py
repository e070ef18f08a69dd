# SPDX-License-Identifier: MIT
"""Views without elements are exported with an address that is not NULL.

Library: CuPy 14.2
Rules: DLP401
Clause: dlpack.h, version 1.3, DLTensor.data ("if the tensor is of size zero")
Hurts: consumers that look up or map what `data` points to: nothing of the array need be there.
"""

import ctypes

import cupy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = cupy.ones(3)[:0].__dlpack__()
assert ctypes.c_void_p.from_address(get(capsule, b"dltensor")).value
