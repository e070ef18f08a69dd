# SPDX-License-Identifier: MIT
"""Arrays and scalars of types that have no buffer format refuse a request by ValueError and TypeError.

Library: numpy
Rules: BUF001
Clause: Python C API Buffer Protocol, version 3, PyObject_GetBuffer (a request that cannot be met raises BufferError)
Hurts: who asks for a buffer and goes another way on BufferError, in C as in Cython: the exception goes on to the user.
"""

import ml_dtypes
import numpy

for thing, expected in ((numpy.zeros(3, "M8[s]"), ValueError), (ml_dtypes.bfloat16(1), TypeError)):
    try:
        memoryview(thing)
        raise AssertionError("exported")
    except expected as error:
        assert not isinstance(error, BufferError)
