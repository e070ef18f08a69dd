# SPDX-License-Identifier: MIT
"""A producer of DLPack capsules that conforms to the array API standard 2025.12 on any device; each subclass violates one
sentence of it. Its memory is host memory, whatever its device, and is not read."""
import ctypes
import sys

CPU, CUDA, ROCM, ONEAPI = 1, 2, 10, 14

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
_api.PyCapsule_IsValid.argtypes = _api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, ctypes.c_char_p
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Legacy(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_kept = {}  # address of a managed tensor: what its deleter gives up


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _deleter(address):
    del _kept[address]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destructor(capsule):
    for name in b"dltensor", b"dltensor_versioned":
        if _api.PyCapsule_IsValid(capsule, name):
            _deleter(_api.PyCapsule_GetPointer(capsule, name))


class Spy:
    """Six doubles."""

    version, own_flags = (1, 3), 0
    deleter = ctypes.cast(_deleter, ctypes.c_void_p)
    streams = {CPU: (), CUDA: (-1, 1, 2), ROCM: (-1, 0), ONEAPI: ()}

    def __init__(self, device_type=CPU):
        self.device = (device_type, 0)
        self.memory = (ctypes.c_double * 6)()

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.check_stream(stream, dl_device)
        device = self.find_device(dl_device)
        copies = device != self.device or copy
        if copies and copy is False:
            raise BufferError("a copy is needed")
        memory = type(self.memory)(*self.memory) if copies else self.memory
        return self.export(memory, device, self.asks_version(max_version), 2 if copies else 0)

    def asks_version(self, max_version):
        if max_version is None:
            return False
        major, _ = max_version
        return major >= 1

    def check_stream(self, stream, dl_device):
        if stream is None:
            return
        kind = CPU if dl_device and tuple(dl_device) == (CPU, 0) else self.device[0]
        if kind == ONEAPI and type(stream).__name__ == "SyclQueue":
            return
        if not isinstance(stream, int):
            raise TypeError(f"{stream!r} is no stream")
        if stream not in self.streams[kind] and not (stream > 2 and kind in (CUDA, ROCM)):
            raise ValueError(f"no stream {stream} here")

    def find_device(self, dl_device):
        if dl_device is None or tuple(dl_device) == self.device:
            return self.device
        if tuple(dl_device) != (CPU, 0):
            raise BufferError(f"cannot reach {dl_device}")
        return CPU, 0

    def export(self, memory, device, versioned, flags):
        managed = _Versioned() if versioned else _Legacy()
        shape, strides = (ctypes.c_int64 * 1)(len(memory)), (ctypes.c_int64 * 1)(1)
        managed.tensor = _Tensor(ctypes.addressof(memory), *device, 1, 2, 64, 1, shape, strides, 0)
        managed.deleter = self.deleter
        if versioned:
            (managed.major, managed.minor), managed.flags = self.version, flags | self.own_flags
        address = ctypes.addressof(managed)
        _kept[address] = managed, memory, shape, strides
        name = b"dltensor_versioned" if versioned else b"dltensor"
        return self.wrap(address, name)

    def wrap(self, address, name):
        return _api.PyCapsule_New(address, name, ctypes.cast(_destructor, ctypes.c_void_p))


sys.modules.setdefault("spy", sys.modules[__name__])
