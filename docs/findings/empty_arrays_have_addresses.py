# SPDX-License-Identifier: MIT
"""DLPack tensors without elements have an address.

Library: numpy, jax, apache-tvm-ffi, dpnp
Clause: dlpack.h, version 1.3, DLTensor.data (NULL for tensors of no elements); DLPack Python Specification,
    version 1.1, Semantics (the same)
Hurts: consumers that ask the driver what a pointer is before they look at the shape. PyArrow gives NULL;
    array-api-strict does as NumPy.
"""

import ctypes

import dpnp
import jax.numpy
import numpy
import tvm_ffi

get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
for array in (numpy.zeros(0), jax.numpy.zeros(0), tvm_ffi.from_dlpack(numpy.zeros(0)), dpnp.zeros(0)):
    capsule = array.__dlpack__()
    assert ctypes.c_void_p.from_address(get_pointer(capsule, b"dltensor")).value
