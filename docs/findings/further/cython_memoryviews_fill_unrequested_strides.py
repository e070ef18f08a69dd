# SPDX-License-Identifier: MIT
"""Typed memoryviews of Cython set strides for `PyBUF_ND`, which requests a shape only.

Library: h3 4.5
Rules: BUF110
Clause: Python C API Buffer Protocol, version 3, PyBUF_STRIDES; PyBUF_ND
Impact: none is known: consumers ignore fields that they did not request. The code is that of Cython 3.2; rasterio's memoryviews
    behave alike.
"""

import ctypes

import h3.api.memview_int

slots = (ctypes.c_ssize_t * 11)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
cells = h3.api.memview_int.grid_disk(0x85283473FFFFFFF, 1)
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(cells), slots, 0x08)  # PyBUF_ND
assert slots[6] and slots[7]
