"""A request for a writable buffer of a read-only tensor is granted, with readonly set.

Library: pyarrow
Rules: BUF801
Clause: Python C API Buffer Protocol, version 3, PyBUF_WRITABLE (the exporter must provide a writable buffer or else
    report failure)
Impact: C code that requests PyBUF_WRITABLE and, once granted, writes: it modifies memory that others rely on.
"""

import ctypes

import numpy
import pyarrow

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_WRITABLE, constant = 0x1, numpy.broadcast_to(numpy.zeros(1), 1)
tensor = pyarrow.Tensor.from_numpy(constant)
assert memoryview(tensor).readonly and not tensor.is_mutable
assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), view, PyBUF_WRITABLE | 0x10 | 0x8) == 0
assert view[4] & 0xFFFFFFFF == 1
