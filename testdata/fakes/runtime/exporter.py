"""A NumPy array whose capsule is on a device of the fake runtime: kDLExtDev, 12."""

import ctypes

import numpy


class Exporter:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        capsule = self.array.__dlpack__()
        device_type = get(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p)
        ctypes.c_int32.from_address(device_type).value = 12
        return capsule

    def __dlpack_device__(self):
        return (12, 0)


exporter = Exporter(numpy.arange(8.0))
strided = Exporter(numpy.arange(24.0).reshape(4, 6)[:, ::2].T)
