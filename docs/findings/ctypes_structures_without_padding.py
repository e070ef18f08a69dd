# SPDX-License-Identifier: MIT
"""The buffer format of a padded ctypes structure omits the padding.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes; after `<` nothing
    is aligned, so padding has to be written)
Impact: code that unpacks by `format`: every field after the first gap is read at the wrong offset. NumPy warns and
    guesses.
Known: https://github.com/python/cpython/issues/76961, fixed in 3.12
"""

import ctypes
import struct

fields = {"_fields_": [("a", ctypes.c_char), ("b", ctypes.c_double)]}
view = memoryview(type("Padded", (ctypes.Structure,), fields)())
assert view.format == "T{<c:a:<d:b:}"
assert view.itemsize == 16 and struct.calcsize("<cd") == 9
