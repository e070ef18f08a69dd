# SPDX-License-Identifier: MIT
"""`BufferProxy` returns wrong elements for an object whose `__array_struct__` falsely declares C_CONTIGUOUS.

Library: pygame 2.6, pygame-ce 2.5.8
Rules: NAI305 reports exporters of such a struct
Clause: NumPy array interface protocol, version 3, PyArrayInterface ("flags indicating how the data should be
    interpreted")
Impact: users of such an object: BufferProxy treats the block at data as the elements. NumPy checks the strides
    instead.
"""

import ctypes

import pygame

memory, shape, stride = (ctypes.c_ubyte * 6)(*range(6)), (ctypes.c_ssize_t * 1)(3), (ctypes.c_ssize_t * 1)(2)
fields = [2, 1, ord("u"), 1, 0x701], map(ctypes.addressof, (shape, stride, memory)), [0]  # 0x1 is C_CONTIGUOUS
interface = (ctypes.c_int * 14).from_buffer_copy(ctypes.string_at((ctypes.c_int * 5)(*fields[0]), 20).ljust(24, b"\0") + bytes((ctypes.c_size_t * 4)(*fields[1], *fields[2])))
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
array = type("Array", (), {"__array_struct__": capsule(ctypes.addressof(interface), None, None)})()
assert b"".join([pygame.BufferProxy(array)]) == bytes([0, 1, 2])  # the elements are 0, 2, 4
