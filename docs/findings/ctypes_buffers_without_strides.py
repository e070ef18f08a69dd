# SPDX-License-Identifier: MIT
"""Buffers of ctypes arrays have no strides, even if strides are requested.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, PyBUF_STRIDES (strides: yes)
Impact: C code that requests PyBUF_STRIDES and indexes `view.strides`: it dereferences NULL, as `mlx.core.array`
    of a ctypes array does with mlx 0.32.
"""

import ctypes

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
array = (ctypes.c_int * 3)()
PyBUF_STRIDES = 0x10 | 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(array), view, PyBUF_STRIDES)
assert view[6] != 0
assert view[7] == 0
