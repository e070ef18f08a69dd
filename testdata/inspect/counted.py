# SPDX-License-Identifier: MIT
"""DLPack exports whose deleters are counted, in large numbers and in every unusual form.

On exit, $TRUTH contains how many were made, how often each deleter ran, and the growth of the
process's memory.
"""

import atexit
import collections
import ctypes
import json
import os
import resource

api = ctypes.pythonapi
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


made = collections.Counter()
deleted = collections.Counter()
live = {}
sizes = []
data = (ctypes.c_float * 6)(*range(6))
shape = (ctypes.c_int64 * 2)(2, 3)
strides = (ctypes.c_int64 * 2)(3, 1)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def deleter(address):
    deleted[live.pop(address, "twice")] += 1
    libc.free(address)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def destructor(capsule):
    name = api.PyCapsule_GetName(capsule)
    if not name.startswith(b"used_"):
        deleter(api.PyCapsule_GetPointer(capsule, name))


def resident_kib():
    with open("/proc/self/statm") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * resource.getpagesize() // 1024


def export(kind, name, major=1, with_deleter=True):
    struct = Versioned if b"versioned" in name else Legacy
    address = libc.malloc(ctypes.sizeof(struct))
    managed = struct.from_address(address)
    ctypes.memset(address, 0, ctypes.sizeof(struct))
    managed.tensor = Tensor(ctypes.addressof(data), 1, 0, 2, 2, 32, 1, ctypes.addressof(shape),
                            ctypes.addressof(strides), 0)
    if struct is Versioned:
        managed.major = major
    if with_deleter:
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p).value
        live[address] = kind
        made[kind] += 1
    sizes.append(resident_kib())
    return api.PyCapsule_New(address, name, ctypes.cast(destructor, ctypes.c_void_p)
                             if with_deleter else None)


class Exporter:
    def __dlpack_device__(self):
        return (1, 0)


class Both(Exporter):
    def __dlpack__(self, *, max_version=None, **_):
        return export("both", b"dltensor_versioned" if max_version else b"dltensor")


class Old(Exporter):
    def __dlpack__(self):
        return export("old", b"dltensor")


class Future(Exporter):
    def __dlpack__(self, **_):
        return export("future", b"dltensor_versioned", major=9)


class Endless(Exporter):
    def __dlpack__(self, **_):
        return export("endless", b"dltensor_versioned", with_deleter=False)


class Misnamed(Exporter):
    def __dlpack__(self, **_):
        return export("misnamed", b"tensor")


class Dropped(Exporter):
    def __dlpack__(self, **_):
        export("dropped", b"dltensor")
        raise BufferError("after the export was made")


class Lying(Exporter):
    def __dlpack_device__(self):
        raise RuntimeError("no device")

    def __dlpack__(self, **_):
        return export("lying", b"dltensor")


for each in (Both, Old, Future, Endless, Misnamed, Dropped, Lying):
    globals()[each.__name__.lower()] = each()
COUNT = int(os.environ.get("COUNT", 0))
globals().update((f"object{i}", Both()) for i in range(COUNT))


@atexit.register
def tell():
    if "TRUTH" in os.environ:
        with open(os.environ["TRUTH"], "w") as file:
            json.dump({"made": made, "deleted": deleted, "live": len(live), "sizes": sizes}, file)
