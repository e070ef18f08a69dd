# SPDX-License-Identifier: MIT
"""`tensorstore.array` reads the elements of an array of the other byte order in the machine's order.

Library: tensorstore 0.1
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: code that passes arrays of FITS or TIFF files, which are big-endian: other numbers, without an exception.
"""

import numpy
import tensorstore

assert tensorstore.array(numpy.array([1], ">i4")).read().result().tolist() == [1 << 24]
