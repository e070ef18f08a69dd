# SPDX-License-Identifier: MIT
"""The buffer of a QuadPrecision has a NULL format, which means unsigned bytes, and an itemsize of 16.

Library: numpy_quaddtype 1.0
Rules: BUF103
Clause: Python C API Buffer Protocol, version 3, Py_buffer.format ("If this is NULL, "B" (unsigned bytes) is assumed")
Impact: memoryview has one element of format B, whose value is the first of 16 bytes.
"""

import numpy_quaddtype

view = memoryview(numpy_quaddtype.QuadPrecision("1.5"))
assert view.format == "B" and view.itemsize == 16 and view.shape == () and view[()] == view.tobytes()[0]
