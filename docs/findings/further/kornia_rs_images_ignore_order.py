# SPDX-License-Identifier: MIT
"""The buffer of an image is granted to consumers that require Fortran order.

Library: kornia_rs 0.2
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_F_CONTIGUOUS)
Impact: C code that requests PyBUF_F_CONTIGUOUS and reads the elements in memory order: the image is transposed.
"""

import ctypes

import kornia_rs
import numpy

image = kornia_rs.image.Image.from_numpy(numpy.zeros((4, 6, 3), "u1"))
view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_F_CONTIGUOUS = 0x40 | 0x10 | 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(image), view, PyBUF_F_CONTIGUOUS)
assert (ctypes.c_ssize_t * 3).from_address(view[7])[:] == [18, 3, 1] and not memoryview(image).f_contiguous
