# SPDX-License-Identifier: MIT
"""The buffer of an array of matrices is granted to consumers that require Fortran order.

Library: Panda3D 1.10.16
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_F_CONTIGUOUS)
Impact: C code that requests PyBUF_F_CONTIGUOUS and reads the elements in memory order: the matrices are transposed.
"""

import ctypes

from panda3d.core import LMatrix4f, PTALMatrix4f

matrices = PTALMatrix4f([LMatrix4f.identMat()] * 2)
view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_F_CONTIGUOUS = 0x40 | 0x10 | 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(matrices), view, PyBUF_F_CONTIGUOUS)
assert (ctypes.c_ssize_t * 3).from_address(view[7])[:] == [64, 16, 4] and not memoryview(matrices).f_contiguous
