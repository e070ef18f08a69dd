# SPDX-License-Identifier: MIT
"""Arrays without elements are exported with a non-NULL address.

Library: numpy, apache-tvm-ffi, array-api-strict, dpnp, jax
Clause: dlpack.h, version 1.3, DLTensor.data ("if the tensor is of size zero")
Impact: consumers that look up, register or map the address in `data`: it need not point to memory of the array.
    PyArrow exports NULL.
"""

import ctypes

import array_api_strict
import dpnp
import jax.numpy
import numpy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
for library in array_api_strict, dpnp, jax.numpy, numpy:
    capsule = library.zeros(0).__dlpack__()
    assert ctypes.c_void_p.from_address(get(capsule, b"dltensor")).value
