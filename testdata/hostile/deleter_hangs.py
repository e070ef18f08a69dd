# SPDX-License-Identifier: MIT
"""The deleter of an exported tensor waits for a lock that is never released."""
import ctypes
import threading

from healthy import good


class Tensor(ctypes.Structure):
    _fields_ = [
        ('data', ctypes.c_void_p),
        ('device_type', ctypes.c_int32),
        ('device_id', ctypes.c_int32),
        ('ndim', ctypes.c_int32),
        ('code', ctypes.c_uint8),
        ('bits', ctypes.c_uint8),
        ('lanes', ctypes.c_uint16),
        ('shape', ctypes.c_void_p),
        ('strides', ctypes.c_void_p),
        ('byte_offset', ctypes.c_uint64),
        ('manager_ctx', ctypes.c_void_p),
        ('deleter', ctypes.c_void_p),
    ]


new = ctypes.pythonapi.PyCapsule_New
new.restype = ctypes.py_object
new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
lock = threading.Lock()
lock.acquire()


def wait(tensor):
    lock.acquire()


deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wait)
memory = ctypes.create_string_buffer(16)
shape = (ctypes.c_int64 * 1)(4)
tensor = Tensor(
    data=ctypes.addressof(memory),
    device_type=1,
    ndim=1,
    code=2,
    bits=32,
    lanes=1,
    shape=ctypes.addressof(shape),
    deleter=ctypes.cast(deleter, ctypes.c_void_p),
)


class Bad:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        return new(ctypes.addressof(tensor), b'dltensor', None)


bad = Bad()
