# SPDX-License-Identifier: MIT
"""The buffer of a zero-dimensional tensor has ndim 0, but non-NULL shape and strides.

Library: pyarrow
Clause: Python C API Buffer Protocol, version 3, Py_buffer.ndim (shape, strides and suboffsets are NULL if ndim is 0)
Impact: C code that takes a non-NULL shape as a sign of dimensions and reads the first extent: the pointer refers to
    no extent.
"""

import ctypes

import numpy
import pyarrow

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_FULL_RO = 0x100 | 0x10 | 0x8 | 0x4
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(pyarrow.Tensor.from_numpy(numpy.array(1.0))), view, PyBUF_FULL_RO)
assert view[4] >> 32 == 0 and view[6] != 0 and view[7] != 0
