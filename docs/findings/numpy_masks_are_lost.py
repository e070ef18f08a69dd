# SPDX-License-Identifier: MIT
"""`__dlpack__` of a masked array exports the elements and drops the mask: no word, no BufferError.

Library: numpy
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Raises
Hurts: whoever hands a numpy.ma array on: masked elements, often -999 or nan, count for valid ones.
"""

import numpy

masked = numpy.ma.array([1.0, -999.0, 3.0], mask=[False, True, False])
assert masked.sum() == 4.0
assert numpy.from_dlpack(masked).sum() == -995.0
