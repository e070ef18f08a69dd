# SPDX-License-Identifier: MIT
"""Buffers of frames have no strides, even if strides are requested.

Library: pyzmq 27.3
Rules: BUF108
Clause: Python C API Buffer Protocol, version 3, PyBUF_STRIDES (strides: yes)
Impact: C code that requests PyBUF_STRIDES and reads `strides` without a check: it dereferences NULL.
"""

import ctypes

import zmq

view = (ctypes.c_ssize_t * 10)()  # buf, obj, len, itemsize, readonly and ndim, format, shape, strides, ...
PyBUF_STRIDES = 0x10 | 0x8
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(zmq.Frame(b"abc")), view, PyBUF_STRIDES)
assert view[4] >> 32 == 1 and view[6] != 0 and view[7] == 0
