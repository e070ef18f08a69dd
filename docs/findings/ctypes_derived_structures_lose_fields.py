# SPDX-License-Identifier: MIT
"""The buffer format of a derived structure omits the fields of its base.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Impact: code that unpacks by format: its own fields are read at the offsets of the inherited ones.
"""

import ctypes

base = type("Base", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_int), ("b", ctypes.c_float)]})
view = memoryview(type("Derived", (base,), {"_fields_": [("c", ctypes.c_int)]})())
assert view.itemsize == 12
assert view.format == "T{<i:c:}"
