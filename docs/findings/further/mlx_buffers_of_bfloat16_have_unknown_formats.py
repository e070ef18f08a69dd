# SPDX-License-Identifier: MIT
"""The buffer of an array of bfloat16 has the format 'bfloat16'.

Library: mlx 0.32
Rules: BUF201
Clause: Python C API Buffer Protocol, version 3, Py_buffer.format ("in struct module style syntax")
Impact: numpy.asarray, which raises ValueError; the format begins with that of a signed byte, 'b'.
"""

import mlx.core
import numpy

array = mlx.core.ones(3, dtype=mlx.core.bfloat16)
assert memoryview(array).format == "bfloat16"
try:
    numpy.asarray(array)
except ValueError:
    pass
else:
    raise AssertionError("NumPy reads the format")
