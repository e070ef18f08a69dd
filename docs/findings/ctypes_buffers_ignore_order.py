"""A request for a Fortran-ordered buffer is granted for C-ordered data, like any other request.

Library: CPython
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_F_CONTIGUOUS)
Impact: C code that requests Fortran order so that it can index without strides: it reads the wrong elements.
"""

import ctypes

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_F_CONTIGUOUS = 0x40 | 0x10 | 0x8
rows = (ctypes.c_int * 3 * 2)()
assert not memoryview(rows).f_contiguous
assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(rows), view, PyBUF_F_CONTIGUOUS) == 0
