# SPDX-License-Identifier: MIT
"""`__dlpack__` of a masked array exports the elements without the mask, and without a BufferError.

Library: numpy
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: code that passes a numpy.ma array on: masked elements, often -999 or nan, are treated as valid.
"""

import numpy

masked = numpy.ma.array([1.0, -999.0, 3.0], mask=[False, True, False])
assert masked.sum() == 4.0
assert numpy.from_dlpack(masked).sum() == -995.0
