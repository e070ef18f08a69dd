# SPDX-License-Identifier: MIT
"""The buffer format of unions and of packed structures is one byte, 'B', whatever their size.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Impact: code that takes the element size from the format: NumPy rejects the buffer, and code that trusts 'B' reads one
    byte of each element. Fixed for packed structures in 3.12.
"""

import ctypes

fields = {"_fields_": [("a", ctypes.c_int), ("b", ctypes.c_double)]}
union = type("Union", (ctypes.Union,), fields)
packed = type("Packed", (ctypes.Structure,), {"_pack_": 1, **fields})
assert (memoryview(union()).format, memoryview(union()).itemsize) == ("B", 8)
assert (memoryview(packed()).format, memoryview(packed()).itemsize) == ("B", 12)
