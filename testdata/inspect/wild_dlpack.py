# SPDX-License-Identifier: MIT
"""DLPack capsules with invalid pointers, counts and names."""

import ctypes

from counted import Exporter, Tensor, Versioned, api, data, shape, strides

kept = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def destructor(capsule):
    pass


def capsule_of(address, name):
    kept.append(name)
    return api.PyCapsule_New(address, name, ctypes.cast(destructor, ctypes.c_void_p))


class Wild(Exporter):
    def __init__(self, address, name):
        self.address, self.name = address, name

    def __dlpack__(self, **_):
        return capsule_of(self.address, self.name)


class Number(Exporter):
    def __dlpack__(self, **_):
        return 5


def tweaked(**fields):
    managed = Versioned(major=1, minor=3)
    managed.tensor = Tensor(ctypes.addressof(data), 1, 0, 2, 2, 32, 1, ctypes.addressof(shape),
                            ctypes.addressof(strides), 0)
    for name, value in fields.items():
        setattr(managed.tensor if hasattr(Tensor, name) else managed, name, value)
    kept.append(managed)
    return Wild(ctypes.addressof(managed), b"dltensor_versioned")


objects = {
    "struct": Wild(0x10, b"dltensor"),
    "name": Wild(0x10, b"\xff\xfe"),
    "used": Wild(0x10, b"used_dltensor"),
    "nameless": Wild(0x10, None),
    "shape": tweaked(shape=0x8),
    "strides": tweaked(strides=2**64 - 256),
    "n_dims": tweaked(ndim=1000),
    "negative": tweaked(ndim=-1),
    "offset": tweaked(byte_offset=2**64 - 1),
    "far": tweaked(data=0x1000),
    "oneapi": tweaked(device_type=14),
    "deleter": tweaked(deleter=0x10),
    "number": Number(),
}
globals().update(objects)
