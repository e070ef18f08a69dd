# SPDX-License-Identifier: MIT
"""The buffer format of a structure that is derived from another leaves the other's fields out.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Hurts: who unpacks by format: the own fields are read at the place of the inherited ones.
"""

import ctypes

base = type("Base", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_int), ("b", ctypes.c_float)]})
view = memoryview(type("Derived", (base,), {"_fields_": [("c", ctypes.c_int)]})())
assert view.itemsize == 12
assert view.format == "T{<i:c:}"
