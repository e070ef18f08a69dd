"""A `PyBUF_SIMPLE` request returns shape and strides, or a format, that were not requested.

Library: CPython, dpctl, pyarrow
Rules: BUF110
Clause: Python C API Buffer Protocol, version 3, PyBUF_SIMPLE (format, shape and strides are NULL)
Impact: C code that interprets a non-NULL pointer as a layout other than the one it requested.
"""

import ctypes

import dpctl.memory
import numpy
import pyarrow

for exporter in (ctypes.c_int * 3)(), dpctl.memory.MemoryUSMShared(12), pyarrow.Tensor.from_numpy(numpy.zeros(3)):
    view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(exporter), view, 0)
    assert view[5] or view[6] or view[7]
