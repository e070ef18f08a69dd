# SPDX-License-Identifier: MIT
"""`zfpy.compress_numpy` of a broadcast array reads consecutive elements, also beyond its memory.

Library: zfpy 1.0
Rules: DLC302, DLC306, DLC402
Clause: NumPy array interface protocol, version 3, strides
Impact: results of numpy.broadcast_to: zfp treats a stride of 0 as that of a compact array.
"""

import numpy
import zfpy

row = numpy.arange(8.0)
array = numpy.broadcast_to(row[:4], (2, 4))
assert zfpy.decompress_numpy(zfpy.compress_numpy(array)).tolist() == row.reshape(2, 4).tolist() != array.tolist()
