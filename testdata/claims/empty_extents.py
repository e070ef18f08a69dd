# SPDX-License-Identifier: MIT
"""`empty_extents.py CONSUMER SHAPE`: what from_dlpack of CONSUMER returns for a tensor of this shape without elements."""

import ctypes
import importlib
import sys

import numpy as np

SHAPE_AT = 24  # in a DLTensor

get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Empty:
    def __init__(self, shape):
        self.owner = np.zeros((0,) * len(shape), "f4")
        self.capsule = self.owner.__dlpack__()
        extents = ctypes.c_void_p.from_address(get_pointer(self.capsule, b"dltensor") + SHAPE_AT).value
        (ctypes.c_int64 * len(shape)).from_address(extents)[:] = shape

    def __dlpack__(self, **keywords):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


shape = tuple(int(extent) for extent in sys.argv[2].split(","))
try:
    print(importlib.import_module(sys.argv[1]).from_dlpack(Empty(shape)).shape)
except Exception as error:
    print(type(error).__name__)
