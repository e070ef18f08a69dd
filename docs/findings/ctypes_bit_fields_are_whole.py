# SPDX-License-Identifier: MIT
"""The buffer format of a structure with bit fields gives each its whole type.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Hurts: who unpacks by format: it describes more bytes than an element has, and other fields than there are.
"""

import ctypes

bits = {"_fields_": [("a", ctypes.c_int, 3), ("b", ctypes.c_int, 29)]}
view = memoryview(type("Bits", (ctypes.Structure,), bits)())
assert view.itemsize == 4
assert view.format == "T{<i:a:<i:b:}"
