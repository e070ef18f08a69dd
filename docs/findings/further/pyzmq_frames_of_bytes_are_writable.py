# SPDX-License-Identifier: MIT
"""The buffer of a frame that shares the memory of a bytes object is writable.

Library: pyzmq 27.3
Clause: Python C API Buffer Protocol, version 3, PyBUF_WRITABLE; Py_buffer.readonly
Impact: consumers that write to what they import, such as NumPy: they change a bytes object, which is immutable and may
    be a constant of the program or the key of a dictionary.
"""

import zmq

text = b"abcd" * 100_000
frame = zmq.Frame(text, copy=False)
memoryview(frame)[0] = ord("Z")
assert text[:4] == b"Zbcd"
