# SPDX-License-Identifier: MIT
"""The buffer of a resized pyarrow buffer has the new length, but the previous shape.

Library: pyarrow
Clause: Python C API Buffer Protocol, version 3, Py_buffer.len (product of shape times itemsize); Py_buffer.shape
Impact: code that indexes the view by its shape: it reads or writes beyond the 29 bytes of the compressed data.
"""

import pyarrow

buffer = pyarrow.compress(bytes(1000), "lz4")
view = memoryview(buffer)
assert view.nbytes == buffer.size < 100
assert view.shape[0] > 1000 and len(view.tolist()) == view.shape[0]
