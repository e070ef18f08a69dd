# SPDX-License-Identifier: MIT
"""Buffers of datetime64 and timedelta64 scalars have one dimension but no strides, even if strides are requested.

Library: numpy
Clause: Python C API Buffer Protocol, version 3, PyBUF_STRIDES (strides: yes)
Impact: C code that requests PyBUF_STRIDES and indexes `view.strides`: it dereferences NULL.
"""

import ctypes

import numpy

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_STRIDES = 0x10 | 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(numpy.datetime64("2026")), view, PyBUF_STRIDES)
assert view[4] >> 32 == 1 and view[6] != 0
assert view[7] == 0
