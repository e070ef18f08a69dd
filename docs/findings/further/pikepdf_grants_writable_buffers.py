# SPDX-License-Identifier: MIT
"""A `PyBUF_WRITABLE` request for a stream buffer, which is read-only, is granted, and writes change it.

Library: pikepdf 10.18
Rules: BUF801
Clause: Python C API Buffer Protocol, version 3, PyBUF_WRITABLE; Py_buffer.readonly
Impact: `readinto` of files and sockets, and C code that requests PyBUF_WRITABLE: the decoded data of a stream changes,
    although memoryview and NumPy refuse to write to it.
"""

import io

import pikepdf

document = pikepdf.new()
buffer = pikepdf.Stream(document, b"abcdef").get_stream_buffer()
assert memoryview(buffer).readonly
assert io.BytesIO(b"XYZ").readinto(buffer) == 3 and bytes(buffer) == b"XYZdef"
