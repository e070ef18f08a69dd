# SPDX-License-Identifier: MIT
"""The buffer of a matrix, whose elements are in Fortran order, is granted without strides.

Library: cvxopt 1.3
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests ("Without stride information, the buffer must be C-contiguous")
Impact: C code that requests PyBUF_ND and reads the elements in C order: it gets those of the transposed matrix.
"""

import ctypes

import cvxopt

matrix = cvxopt.matrix([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3))
view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_ND = 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(matrix), view, PyBUF_ND)
assert (ctypes.c_ssize_t * 2).from_address(view[6])[:] == [2, 3]
assert (ctypes.c_double * 6).from_address(view[0])[:] == [1, 2, 3, 4, 5, 6]  # the rows are 1 3 5 and 2 4 6
