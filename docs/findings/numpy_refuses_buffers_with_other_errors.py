# SPDX-License-Identifier: MIT
"""Arrays and scalars of types without a buffer format raise ValueError or TypeError instead of BufferError.

Library: numpy
Rules: BUF001
Clause: Python C API Buffer Protocol, version 3, PyObject_GetBuffer (a request that cannot be met raises BufferError)
Impact: code that requests a buffer and catches only BufferError, in C as in Cython: the exception reaches the user.
"""

import ml_dtypes
import numpy

for source, expected in ((numpy.zeros(3, "M8[s]"), ValueError), (ml_dtypes.bfloat16(1), TypeError)):
    try:
        memoryview(source)
        raise AssertionError("exported")
    except expected as error:
        assert not isinstance(error, BufferError)
