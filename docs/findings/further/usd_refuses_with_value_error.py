# SPDX-License-Identifier: MIT
"""Requests for writable and for Fortran-ordered buffers are refused with ValueError instead of BufferError.

Library: usd-core 26.11
Rules: BUF701
Clause: Python C API Buffer Protocol, version 3, PyObject_GetBuffer (a request that cannot be met raises
    BufferError)
Impact: consumers that catch BufferError and request another buffer, as the documentation of the protocol describes:
    the exception propagates.
"""

import ctypes

from pxr import Gf, Vt

for exporter, flags in (Vt.FloatArray([1, 2]), 0x1), (Gf.Matrix4d(1), 0x40 | 0x10 | 0x8):
    try:
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(exporter), (ctypes.c_ssize_t * 10)(), flags)
        raise SystemExit("granted")
    except ValueError:
        pass
