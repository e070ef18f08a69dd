# SPDX-License-Identifier: MIT
"""The buffer of a tensor is granted to who asks for C order, whatever order its elements are in.

Library: pyarrow
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_C_CONTIGUOUS)
Hurts: C code that asks for C order because it copies the block as it is: it gets the elements in another order.
"""

import ctypes

import numpy
import pyarrow

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_C_CONTIGUOUS = 0x20 | 0x10 | 0x8
tensor = pyarrow.Tensor.from_numpy(numpy.ones((3, 4)).T)
assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), view, PyBUF_C_CONTIGUOUS) == 0
assert list((ctypes.c_ssize_t * 2).from_address(view[7])) == [8, 32]  # strides of Fortran order
