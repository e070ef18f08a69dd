# SPDX-License-Identifier: MIT
"""The buffer format of c_wchar is 'u', a character of two bytes, where it has four.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes); Py_buffer.format
Hurts: who reads the characters by format: NumPy refuses the buffer, others read half of each character.
    The type for four bytes is 'w', as the module array writes it.
"""

import array
import ctypes

import numpy

assert memoryview((ctypes.c_wchar * 3)()).format == "<u" and ctypes.sizeof(ctypes.c_wchar) == 4
assert memoryview(array.array("u", "abc")).format == "w"
try:
    numpy.asarray((ctypes.c_wchar * 3)())
    raise AssertionError("taken")
except ValueError as error:
    assert "not a valid PEP 3118" in str(error)
