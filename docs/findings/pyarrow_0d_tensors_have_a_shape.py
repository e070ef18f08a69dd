# SPDX-License-Identifier: MIT
"""The buffer of a tensor without dimensions has ndim 0, and shape and strides that are not NULL.

Library: pyarrow
Clause: Python C API Buffer Protocol, version 3, Py_buffer.ndim (shape, strides and suboffsets are NULL where ndim is 0)
Hurts: C code that takes a shape for a sign that there are dimensions, and reads the first extent: there is none behind the pointer.
"""

import ctypes

import numpy
import pyarrow

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_FULL_RO = 0x100 | 0x10 | 0x8 | 0x4
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(pyarrow.Tensor.from_numpy(numpy.array(1.0))), view, PyBUF_FULL_RO)
assert view[4] >> 32 == 0 and view[6] != 0 and view[7] != 0
