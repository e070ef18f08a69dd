# SPDX-License-Identifier: MIT
"""The buffer of a pyarrow buffer that was resized has the new length, and the shape that it had before.

Library: pyarrow
Clause: Python C API Buffer Protocol, version 3, Py_buffer.len (product of shape times itemsize); Py_buffer.shape
Hurts: whoever indexes the view by its shape: what lies behind the 29 bytes that were compressed to is read, or written, as if it were theirs.
"""

import pyarrow

buffer = pyarrow.compress(bytes(1000), "lz4")
view = memoryview(buffer)
assert view.nbytes == buffer.size < 100
assert view.shape[0] > 1000 and len(view.tolist()) == view.shape[0]
