# SPDX-License-Identifier: MIT
"""The capsule of __dlpack__ points to address 8."""
import ctypes

from healthy import good

new = ctypes.pythonapi.PyCapsule_New
new.restype = ctypes.py_object
new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Bad:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        return new(8, b'dltensor', None)


bad = Bad()
