# SPDX-License-Identifier: MIT
"""Imported by every hostile file: the target that must still be reported, and producers whose capsules a file chooses."""
import ctypes


class Healthy:
    def __init__(self):
        self.memory = ctypes.create_string_buffer(16)
        self.__array_interface__ = {
            'version': 3,
            'shape': (4,),
            'typestr': '<f4',
            'data': (ctypes.addressof(self.memory), False),
        }


class Exporter:
    """Exports a DLPack capsule that points to an address."""

    def __init__(self, address):
        self.address = address

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(self.address, b'dltensor', None)


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


class TensorExporter(Exporter):
    """Exports a tensor of four floats, which a function of Python deletes."""

    def __init__(self, deleter):
        self.memory = ctypes.create_string_buffer(16)
        self.shape = (ctypes.c_int64 * 1)(4)
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)
        self.tensor = Tensor(
            data=ctypes.addressof(self.memory),
            device_type=1,
            ndim=1,
            code=2,
            bits=32,
            lanes=1,
            shape=ctypes.addressof(self.shape),
            deleter=ctypes.cast(self.deleter, ctypes.c_void_p),
        )
        super().__init__(ctypes.addressof(self.tensor))


good = Healthy()
