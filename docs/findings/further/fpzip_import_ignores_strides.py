# SPDX-License-Identifier: MIT
"""`fpzip.compress` of an array in Fortran order compresses its elements in the order of memory as those of one in C order.

Library: fpzip 1.2
Rules: DLC302
Clause: NumPy array interface protocol, version 3, strides
Impact: code that does not pass order="F": the decompressed array has the same shape and other elements.
"""

import fpzip
import numpy

array = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
assert fpzip.decompress(fpzip.compress(array)).reshape(2, 3).tolist() == [[0, 3, 1], [4, 2, 5]] != array.tolist()
