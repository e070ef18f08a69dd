# SPDX-License-Identifier: MIT
"""The buffer of an array of vectors is granted to consumers that require Fortran order.

Library: PyGLM 2.8
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_F_CONTIGUOUS)
Impact: C code that requests PyBUF_F_CONTIGUOUS and reads the elements in memory order: the array is transposed.
"""

import ctypes

import glm

vectors = glm.array(glm.vec3(1, 2, 3), glm.vec3(4, 5, 6))
view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_F_CONTIGUOUS = 0x40 | 0x10 | 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(vectors), view, PyBUF_F_CONTIGUOUS)
assert (ctypes.c_ssize_t * 2).from_address(view[7])[:] == [12, 4] and not memoryview(vectors).f_contiguous
