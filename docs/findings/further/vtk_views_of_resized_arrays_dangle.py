# SPDX-License-Identifier: MIT
"""An array can be resized while a buffer of it is held, which then refers to freed memory.

Library: vtk 9.7
Clause: Python C API Buffer Protocol, version 3, PyBuffer_Release
Impact: `memoryview` and NumPy arrays without a copy: they read and write memory that belongs to other objects.
"""

import ctypes

import vtk

array = vtk.vtkFloatArray()
array.SetNumberOfValues(4)
view = memoryview(array)
seen = ctypes.addressof(ctypes.c_char.from_buffer(view))
array.SetNumberOfValues(1_000_000)
assert seen != ctypes.addressof(ctypes.c_char.from_buffer(array)) and len(view) == 4
