# SPDX-License-Identifier: MIT
"""Makers of objects whose memory is freed too early, too late or twice; the part of a name before the underscore is the
rule that reports it. good_* follow the specifications, except that their deleter, written in Python, needs the
interpreter."""
import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spy
from spy import Spy

_libc = ctypes.CDLL(None)
_libc.malloc.restype, _libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
_libc.free.argtypes = [ctypes.c_void_p]
_python = ctypes.pythonapi
_new = _python.PyCapsule_New
_kept = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _always_deletes(capsule):
    for name in b"dltensor_versioned", b"used_dltensor_versioned":
        if _python.PyCapsule_IsValid(capsule, name):
            address = _python.PyCapsule_GetPointer(capsule, name)
            managed = spy._kept[address][0] if address in spy._kept else None
            if managed:
                ctypes.cast(managed.deleter, ctypes.CFUNCTYPE(None, ctypes.c_void_p))(ctypes.addressof(managed))


class NoDestructor(Spy):
    def wrap(self, address, name):
        return _new(address, name, ctypes.cast(_nothing, ctypes.c_void_p))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _nothing(_):
    pass


class DeletesUsed(Spy):
    def wrap(self, address, name):
        return _new(address, name, ctypes.cast(_always_deletes, ctypes.c_void_p))


class KeepsOwner(Spy):
    def wrap(self, address, name):
        _kept.append(self)
        return Spy.wrap(self, address, name)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _keeps_tensor(address):
    _kept.append(spy._kept.pop(address)[0])


class KeepsTensor(Spy):
    deleter = ctypes.cast(_keeps_tensor, ctypes.c_void_p)


class NeedsTheGil(Spy):
    deleter = ctypes.cast(_python.PyErr_Clear, ctypes.c_void_p)


class OneCapsule(Spy):
    def __dlpack__(self, **keywords):
        if not hasattr(self, "capsule"):
            self.capsule = Spy.__dlpack__(self, **keywords)
        return self.capsule


class FreesWithObject(Spy):
    def __init__(self):
        super().__init__()
        self.address = _libc.malloc(48)
        self.memory = (ctypes.c_double * 6).from_address(self.address)

    def __del__(self):
        _libc.free(self.address)


class Leaks(Spy):
    def wrap(self, address, name):
        _libc.malloc(64)
        return Spy.wrap(self, address, name)


class Numpy:
    """Six floats."""

    def __init__(self):
        self.address = _libc.malloc(24)
        ctypes.memset(self.address, 1, 24)

    def dictionary(self):
        return {"shape": (6,), "typestr": "<f4", "data": (self.address, False), "version": 3}

    @property
    def __array_interface__(self):
        return self.dictionary()


class _Owner(dict):
    """A dictionary that owns the memory it refers to."""

    def __del__(self):
        _libc.free(self["data"][0])


class TemporaryMemory(Numpy):
    @property
    def __array_interface__(self):
        self.address = _libc.malloc(24)
        ctypes.memset(self.address, 1, 24)
        return _Owner(self.dictionary())


class Image:
    """Like Pillow: each reading creates new bytes, and NumPy keeps them."""

    @property
    def __array_interface__(self):
        return {"shape": (1 << 20,), "typestr": "|u1", "data": b"\1" * (1 << 20), "version": 3}


class Cuda:
    """No driver reads it."""

    def __init__(self):
        self.reads = 0

    @property
    def __cuda_array_interface__(self):
        return {"shape": (6,), "typestr": "<f4", "data": (0x10000, False), "version": 3, "stream": None}


class Moves(Cuda):
    @property
    def __cuda_array_interface__(self):
        self.reads += 1
        return {**Cuda.__cuda_array_interface__.fget(self), "data": (0x10000 * self.reads, False)}
