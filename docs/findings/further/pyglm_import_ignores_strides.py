# SPDX-License-Identifier: MIT
"""`glm.array` of a strided buffer reads consecutive elements in memory, beyond its data if strides are negative.

Library: PyGLM 2.8
Rules: DLC302
Clause: Python C API Buffer Protocol, version 3, Py_buffer.strides
Impact: code that passes slices or transposed arrays: the vectors have the numbers of other columns, without an exception.
"""

import glm
import numpy

columns = numpy.arange(12, dtype="f4").reshape(3, 4)[:, :3]
assert columns[1].tolist() == [4, 5, 6] and glm.array(columns)[1] == glm.vec3(3, 4, 5)
assert glm.array(columns.copy())[1] == glm.vec3(4, 5, 6)
