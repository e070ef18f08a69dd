# SPDX-License-Identifier: MIT
"""The buffer format of a structure with bit fields lists each field with its full type.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Impact: code that unpacks by format: the format describes more bytes than an element has, and the wrong fields.
"""

import ctypes

bits = {"_fields_": [("a", ctypes.c_int, 3), ("b", ctypes.c_int, 29)]}
view = memoryview(type("Bits", (ctypes.Structure,), bits)())
assert view.itemsize == 4
assert view.format == "T{<i:a:<i:b:}"
