"""`PyBUF_SIMPLE` gets shape and strides, or a format, that nobody asked for.

Library: CPython, dpctl, pyarrow
Rules: BUF110
Clause: Python C API Buffer Protocol, version 3, PyBUF_SIMPLE (format, shape and strides are NULL)
Hurts: C code that takes a pointer that is not NULL for a sign that the layout is another than it asked for.
"""

import ctypes

import dpctl.memory
import numpy
import pyarrow

for thing in (ctypes.c_int * 3)(), dpctl.memory.MemoryUSMShared(12), pyarrow.Tensor.from_numpy(numpy.zeros(3)):
    view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(thing), view, 0)
    assert view[5] or view[6] or view[7]
