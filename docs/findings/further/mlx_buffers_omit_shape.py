# SPDX-License-Identifier: MIT
"""A `PyBUF_ND` request, which asks for the shape, returns a NULL shape.

Library: mlx 0.32
Rules: BUF108
Clause: Python C API Buffer Protocol, version 3, PyBUF_ND
Impact: C code that requests PyBUF_ND or PyBUF_CONTIG and indexes shape: it dereferences NULL.
"""

import ctypes

import mlx.core

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_ND = 0x8
assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(mlx.core.ones((3, 4))), view, PyBUF_ND) == 0
assert view[4] >> 32 == 2 and view[6] == 0  # two dimensions, no shape
