# SPDX-License-Identifier: MIT
"""A fake dpctl on the fake SYCL library next to it: neither a SYCL device nor a test of one.

FAKE_DPCTL_IMPORT=raise, die, leave or hang: the effect of importing it.
"""

import ctypes
import os
import signal
import time

_script = os.environ.get("FAKE_DPCTL_IMPORT")
if _script == "raise":
    raise OSError("fake dpctl: scripted failure")
if _script == "die":
    os.kill(os.getpid(), signal.SIGSEGV)
if _script == "leave":
    os._exit(0)
if _script == "hang":
    time.sleep(60)

_library = ctypes.CDLL(
    os.path.join(os.path.dirname(__file__), "libDPCTLSyclInterface.so")
)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]


class _Context(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int)]


class _Queue(ctypes.Structure):
    _fields_ = [("context", _Context), ("in_order", ctypes.c_bool)]


class SyclContext:
    def __init__(self, number=0):
        self._reference = _Context(number)

    def _get_capsule(self):
        address = ctypes.cast(ctypes.byref(self._reference), ctypes.c_char_p)
        return _new_capsule(address, b"SyclContextRef", None)


class SyclQueue:
    def __init__(self, number=0):
        self._reference = _Queue(_Context(number), False)

    def _get_capsule(self):
        address = ctypes.cast(ctypes.byref(self._reference), ctypes.c_char_p)
        return _new_capsule(address, b"SyclQueueRef", None)


class FakeArray:
    """4-byte floats 0, 1, 2, ... in fake USM memory of a kind."""

    def __init__(self, n, kind="device", syclobj=None, extra=0):
        self._queue = SyclQueue()
        self._syclobj = syclobj if syclobj is not None else self._queue
        self._shape = (n + extra,)
        allocate = getattr(_library, "DPCTLmalloc_" + kind)
        allocate.restype = ctypes.c_void_p
        reference = ctypes.byref(self._queue._reference)
        self.pointer = allocate(ctypes.c_size_t(4 * n), reference)
        values = (ctypes.c_float * n)(*range(n))
        copy = _library.DPCTLQueue_Memcpy
        copy.restype = ctypes.c_void_p
        copy(reference, ctypes.c_void_p(self.pointer), values, ctypes.c_size_t(4 * n))

    @property
    def __sycl_usm_array_interface__(self):
        return {
            "version": 1,
            "shape": self._shape,
            "typestr": "|f4",
            "data": (self.pointer, False),
            "strides": None,
            "offset": 0,
            "syclobj": self._syclobj,
        }
