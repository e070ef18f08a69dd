# SPDX-License-Identifier: MIT
"""`__array_interface__` of arrays has a new, writable array as data at each read, so that what consumers write is lost.

Library: blosc2 4.14
Rules: NAI006
Clause: NumPy array interface protocol, version 3, data
Impact: code that writes to `numpy.asarray(array)`: the array keeps its elements, without an error.
"""

import blosc2
import numpy

array = blosc2.zeros((3, 4), dtype="f8")
view = numpy.asarray(array)
assert view.flags.writeable and not numpy.shares_memory(view, numpy.asarray(array))
view[0, 0] = 9
assert array[0, 0] == 0
