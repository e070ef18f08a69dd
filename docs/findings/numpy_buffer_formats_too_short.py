# SPDX-License-Identifier: MIT
"""The buffer format omits trailing padding of structures, and of big-endian structures nested inside.

Library: numpy
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Impact: code that reads such records through a memoryview: NumPy rejects its own export, and others read wrong bytes
    from the second field or record on.
Known: https://github.com/numpy/numpy/pull/7798
"""

import numpy

inner = numpy.dtype([("a", ">i8"), ("b", "i1")], align=True)
nested = numpy.dtype([("c", "i1"), ("d", inner)], align=True)
padded = numpy.dtype({"names": ["a"], "formats": ["i4"], "itemsize": 12})
for dtype in (nested, padded):
    try:
        numpy.asarray(memoryview(numpy.zeros(2, dtype)))
        raise AssertionError("it reads its own export")
    except RuntimeError as error:
        assert "does not match" in str(error)
