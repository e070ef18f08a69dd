# SPDX-License-Identifier: MIT
"""500 arrays of one context. Prints the reference count of its cl_context, before and at the end."""

import atexit
import ctypes
import os
import sys

import dpctl
import dpctl.memory

_queue = dpctl.SyclQueue("cpu")
_capsule = _queue.sycl_context._get_capsule()
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
_dpctl = ctypes.CDLL("libDPCTLSyclInterface.so", os.RTLD_NOLOAD)
_opencl = ctypes.CDLL("libOpenCL.so.1", os.RTLD_NOLOAD)
_get_native = _dpctl._ZNK4sycl3_V17context9getNativeEv
_get_native.restype, _get_native.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
_native = _get_native(_pointer_of(_capsule, b"SyclContextRef"))


def _references():
    count = ctypes.c_uint()
    _opencl.clGetContextInfo(
        ctypes.c_void_p(_native), 0x1080, ctypes.c_size_t(4), ctypes.byref(count), None
    )
    return count.value


globals().update(
    (f"array_{i}", dpctl.memory.MemoryUSMShared(8, queue=_queue)) for i in range(500)
)
_before = _references()
atexit.register(
    lambda: print("references", _before, _references(), file=sys.stderr)
)
