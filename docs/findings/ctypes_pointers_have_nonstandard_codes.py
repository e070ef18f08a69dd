# SPDX-License-Identifier: MIT
"""The buffer formats of c_char_p, c_wchar_p and similar types are the non-standard codes 'z' and 'Z'.

Library: CPython
Clause: Python C API Buffer Protocol, version 3, Py_buffer.format (in the syntax of the module struct)
Impact: code that reads the buffer by format: NumPy, memoryview and struct reject these codes.
"""

import ctypes
import struct

for kind, letter in ((ctypes.c_char_p, "z"), (ctypes.c_wchar_p, "Z")):
    assert memoryview(kind()).format == "<" + letter
    try:
        struct.calcsize("<" + letter)
        raise AssertionError("supported")
    except struct.error as error:
        assert "bad char" in str(error)
