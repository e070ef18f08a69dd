# SPDX-License-Identifier: MIT
"""Producers of one protocol each, implemented without a library so that they expose nothing else."""

import ctypes
import json
import os

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_kept = []  # the memory behind the addresses, for the lifetime of the process


def keep(thing):
    _kept.append(thing)
    return thing


class Source:
    def __init__(self, values, address=None):
        self.values = keep(values)
        self.address = values.ctypes.data if address is None else address
        self.device = hex(self.address)

    def dictionary(self, **more):
        return {
            "version": 3, "shape": self.values.shape, "typestr": self.values.dtype.str,
            "data": (self.address, not self.values.flags.writeable),
            "strides": self.values.strides, **more,
        }


class Numpy(Source):
    @property
    def __array_interface__(self):
        more = {"descr": self.values.dtype.descr} if self.values.dtype.kind == "V" else {}
        return self.dictionary(**more)


class NumpyStruct(Source):
    @property
    def __array_struct__(self):
        return self.values.__array_struct__


class Buffer(bytearray):
    """A view of the elements for the buffer protocol: one-dimensional bytes."""

    def __init__(self, values):
        super().__init__(values.tobytes())
        self.device = hex(ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self)))


class Cuda(Source):
    @property
    def __cuda_array_interface__(self):
        return self.dictionary(stream=None)


class Sycl(Source):
    def __init__(self, memory, queue, values):
        super().__init__(values, memory._pointer)
        self.memory, self.queue = memory, queue

    @property
    def __sycl_usm_array_interface__(self):
        strides = tuple(step // self.values.itemsize for step in self.values.strides)
        return self.dictionary(version=1, strides=strides, syclobj=self.queue)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
        ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]


@DELETER
def delete(managed):
    """Does nothing: _kept has everything."""


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def drop(capsule):
    """The destructor of an unconsumed capsule has nothing to do either."""


class Dlpack(Source):
    """code: DLDataTypeCode, if NumPy has no such type; byte_offset: from address to the first element."""

    def __init__(self, values, device=(1, 0), address=None, code=None, byte_offset=0):
        super().__init__(values, address)
        self.dl_device, self.byte_offset = device, byte_offset
        self.code = CODES[values.dtype.kind] if code is None else code

    def __dlpack_device__(self):
        return self.dl_device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        values, n_dims = self.values, self.values.ndim
        if dl_device not in (None, self.dl_device):
            raise BufferError("this memory cannot be moved")
        shape = (ctypes.c_int64 * max(n_dims, 1))(*values.shape)
        strides = (ctypes.c_int64 * max(n_dims, 1))(*(s // values.itemsize for s in values.strides))
        tensor = Tensor(
            self.address, *self.dl_device, n_dims, self.code, values.itemsize * 8, 1,
            ctypes.addressof(shape), ctypes.addressof(strides), self.byte_offset,
        )
        managed = Versioned(1, 3, None, delete, not values.flags.writeable, tensor)
        keep((shape, strides, managed))
        return api.PyCapsule_New(
            ctypes.addressof(managed), b"dltensor_versioned", ctypes.cast(drop, ctypes.c_void_p)
        )


def tell_addresses(names):
    """Writes {name: address} of a module's objects to $ADDRESSES, since converted objects do not identify their source."""
    if "ADDRESSES" in os.environ:
        with open(os.environ["ADDRESSES"], "w") as file:
            json.dump({name: o.device for name, o in names.items() if isinstance(getattr(o, "device", None), str)}, file)
