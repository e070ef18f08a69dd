# SPDX-License-Identifier: MIT
"""`zfp_encode` of a broadcast array reads consecutive elements, also beyond its memory.

Library: imagecodecs 2026.3
Rules: DLC302, DLC306, DLC402
Clause: NumPy array interface protocol, version 3, strides
Impact: results of numpy.broadcast_to: zfp treats a stride of 0 as that of a compact array.
"""

import imagecodecs
import numpy

row = numpy.arange(8.0)
array = numpy.broadcast_to(row[:4], (2, 4))
assert imagecodecs.zfp_decode(imagecodecs.zfp_encode(array)).tolist() == row.reshape(2, 4).tolist() != array.tolist()
