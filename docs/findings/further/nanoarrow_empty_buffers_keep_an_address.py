# SPDX-License-Identifier: MIT
"""Buffers without elements are exported with a non-NULL address.

Library: nanoarrow 0.9
Rules: DLP401
Clause: dlpack.h, version 1.3, DLTensor.data ("if the tensor is of size zero")
Impact: consumers that look up, register or map the address in `data`: it need not point to memory of the buffer.
"""

import ctypes

import nanoarrow

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = nanoarrow.c_array([], nanoarrow.int32()).view().buffer(1).__dlpack__()
assert ctypes.c_void_p.from_address(get(capsule, b"dltensor")).value
