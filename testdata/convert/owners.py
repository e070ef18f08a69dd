# SPDX-License-Identifier: MIT
"""Producers that count releases and verify that what is consumed was kept alive.

The targets are used in order; each `*_is_released` raises if the preceding target was not
released exactly once, and `*_held` returns what the consumer kept, the only reference to the source.
"""

import ctypes
import gc

import numpy as np

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def drop(capsule):
    """The destructor of a capsule: deletes what was not consumed."""
    if api.PyCapsule_IsValid(capsule, b"dltensor"):
        address = api.PyCapsule_GetPointer(capsule, b"dltensor")
        Legacy.from_address(address).deleter(address)


class Legacy(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
        ("manager_ctx", ctypes.c_void_p), ("deleter", DELETER),
    ]


class Producer:
    """A legacy producer from before 2023.12, without max_version."""

    def __init__(self, strides=True, device=(1, 0)):
        self.memory = np.arange(6, dtype="f4")
        self.exports, self.released = [], []
        self.strides, self.device = strides, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        shape = (ctypes.c_int64 * 2)(2, 3)
        strides = (ctypes.c_int64 * 2)(3, 1)
        delete = DELETER(self.released.append)
        tensor = Legacy(self.memory.ctypes.data, *self.device, 2, 2, 32, 1, shape,
                        strides if self.strides else None, 0, None, delete)
        self.exports.append((tensor, shape, strides, delete))
        return api.PyCapsule_New(ctypes.addressof(tensor), b"dltensor", ctypes.cast(drop, ctypes.c_void_p))

    def check(self):
        gc.collect()
        addresses = sorted(ctypes.addressof(export[0]) for export in self.exports)
        assert sorted(self.released) == addresses, (self.released, addresses)
        return np.zeros(1)


class View(bytearray):
    def check(self):
        self.append(0)  # BufferError while a view is exported
        return np.zeros(1)


legacy = Producer()
compact = Producer(strides=False)
elsewhere = Producer(device=(2, 0))
view = View(b"abcdef")
held = {}


def hold(new):
    """Keeps only what a consumer made."""
    held["array"] = np.from_dlpack(new) if hasattr(new, "__dlpack__") else np.asarray(new)
    return held["array"]


def made():
    """An array that only the new object can keep."""
    return np.arange(1000, dtype="i8") * 3


def held_is_alive():
    gc.collect()
    garbage = [np.full(1000, -1, dtype="i8") for _ in range(64)]
    assert (held["array"] == np.arange(1000, dtype="i8") * 3).all()
    del garbage
    return held["array"]
