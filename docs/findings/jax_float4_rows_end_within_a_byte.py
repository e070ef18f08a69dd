# SPDX-License-Identifier: MIT
"""Rows of float4 arrays end within a byte: the next one begins in the same byte.

Library: jax
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED ("is assumed packed"); DLTensor.data ("GetDataSize")
Hurts: consumers that round each element, as GetDataSize of dlpack.h does, or each row up to bytes, read other elements.
"""

import ctypes

import jax.numpy

capsule = jax.numpy.array([[2, 4, 6], [6, 4, 2]], "float4_e2m1fn").__dlpack__()
get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
data = ctypes.c_void_p.from_address(get(capsule, b"dltensor")).value
assert ctypes.string_at(data, 3) == bytes([0x64, 0x77, 0x46])
