# SPDX-License-Identifier: MIT
"""`from_dlpack` through the C exchange API ignores the flag READ_ONLY and returns a writable tensor.

Library: apache-tvm-ffi
Rules: DLC308
Clause: dlpack.h, version 1.3, DLPACK_FLAG_BITMASK_READ_ONLY
Impact: code that passes a read-only array of another library: writing to the result changes memory that is declared constant.
Known: seen on 2026-11-23.
"""

import ctypes
import numpy
import tvm_ffi

api, capsule = ctypes.pythonapi, ctypes.py_object(numpy.broadcast_to(1.0, 3).__dlpack__(max_version=(1, 0)))
api.PyCapsule_GetPointer.restype, api.PyCapsule_New.restype = ctypes.c_void_p, ctypes.py_object
api.Py_IncRef(capsule)  # never freed: its struct becomes the consumer's
export = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))(lambda _, out: out.__setitem__(0, api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")) or 0)
table = (ctypes.c_void_p * 8)(1, 0, 0, ctypes.cast(export, ctypes.c_void_p).value)
names = {"__dlpack_c_exchange_api__": api.PyCapsule_New(table, b"dlpack_exchange_api", None)}
assert numpy.from_dlpack(tvm_ffi.from_dlpack(type("Exporter", (), names)())).flags.writeable
