# SPDX-License-Identifier: MIT
"""`__dlpack__` exports arrays whose elements are not aligned.

Library: numpy
Clause: dlpack.h, version 1.3, DLTensor.data (aligned to 256 bytes; consumers rely on the element's alignment)
Hurts: C and C++ consumers, for which loading a misaligned element is undefined, and kernels with aligned vector
    loads, which crash.
"""

import numpy

odd = numpy.zeros(25, "u1")[1:].view("f8")
assert not odd.flags.aligned
assert numpy.from_dlpack(odd).ctypes.data == odd.ctypes.data
