# SPDX-License-Identifier: MIT
"""The buffer format of an aligned structure with a big-endian one inside describes fewer bytes than `itemsize`.

Library: numpy
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes; after `>`
    nothing is aligned, so the padding at the end of the inner structure has to be written, and is not)
Hurts: who reads such records through a memoryview: NumPy itself refuses its own export, others read the wrong
    bytes from the second field on.
"""

import numpy

inner = numpy.dtype([("a", ">i8"), ("b", "i1")], align=True)
view = memoryview(numpy.zeros(2, numpy.dtype([("c", "i1"), ("d", inner)], align=True)))
assert view.itemsize == 24 and view.format == "T{b:c:xxxxxxxT{>q:a:b:b:}:d:}"
try:
    numpy.asarray(view)
    raise AssertionError("it reads its own export")
except RuntimeError as error:
    assert "does not match" in str(error)
