# SPDX-License-Identifier: MIT
"""The buffer format of c_wchar is 'u', a two-byte character, although it has four bytes.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes); Py_buffer.format
Impact: code that reads the characters by format: NumPy rejects the buffer, others read half of each character. The
    code for four bytes is 'w', which the array module uses.
"""

import array
import ctypes

import numpy

assert memoryview((ctypes.c_wchar * 3)()).format == "<u" and ctypes.sizeof(ctypes.c_wchar) == 4
assert memoryview(array.array("u", "abc")).format == "w"
try:
    numpy.asarray((ctypes.c_wchar * 3)())
    raise AssertionError("accepted")
except ValueError as error:
    assert "not a valid PEP 3118" in str(error)
