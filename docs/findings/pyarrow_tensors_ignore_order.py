"""The buffer of a C-ordered tensor is granted as Fortran-ordered, and vice versa.

Library: pyarrow
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_F_CONTIGUOUS)
Impact: C code and Cython's `T[::1, :]` that request an order so that they can index without strides: they read the
    wrong elements.
"""

import ctypes

import numpy
import pyarrow

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_F_CONTIGUOUS = 0x40 | 0x10 | 0x8
tensor = pyarrow.Tensor.from_numpy(numpy.zeros((2, 3)))
assert not memoryview(tensor).f_contiguous
assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), view, PyBUF_F_CONTIGUOUS) == 0
