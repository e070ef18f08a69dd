# SPDX-License-Identifier: MIT
"""Arrays of int1, whose values are 0 and -1, are exported as bool.

Library: JAX 0.11.2
Rules: DLP209
Clause: dlpack.h, version 1.3, DLTensor.dtype
Impact: consumers get True, which equals 1, instead of -1.
"""

import ctypes

import jax.numpy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
array = (jax.numpy.arange(3) % 2).astype("int1")
assert str(array.dtype) == "int1"
capsule = array.__dlpack__()
assert ctypes.c_uint8.from_address(get(capsule, b"dltensor") + 20).value == 6
