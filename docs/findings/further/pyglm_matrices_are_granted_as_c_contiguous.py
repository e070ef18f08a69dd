# SPDX-License-Identifier: MIT
"""The buffer of a matrix is granted to consumers that require C order, although its elements are Fortran-ordered.

Library: PyGLM 2.8
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests ("Without stride information, the buffer must
    be C-contiguous")
Impact: `bytes.join`, files, sockets and C code that requests PyBUF_SIMPLE: they get the transpose of what `memoryview`,
    `bytes` and NumPy return.
"""

import glm

matrix = glm.mat4(*range(16))
in_memory = memoryview(b"".join([matrix])).cast("f").tolist()
assert memoryview(matrix).strides == (4, 16) and not memoryview(matrix).c_contiguous
assert in_memory == list(range(16)) and memoryview(bytes(matrix)).cast("f")[1] == 4
