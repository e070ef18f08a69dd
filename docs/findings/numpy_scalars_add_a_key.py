"""`__array_interface__` of a scalar has a key of NumPy's own, `__ref`, and names memory that goes with the dictionary.

Library: numpy
Rules: NAI004
Clause: NumPy array interface protocol, version 3, __array_interface__
Hurts: who keeps the scalar and passes on `data` alone, or a copy of the keys that the protocol has: the memory is freed.
"""

import numpy

scalar = numpy.float64(1.5)
words = scalar.__array_interface__
assert words["__ref"].ctypes.data == words["data"][0]
kept = scalar.__array_interface__
assert kept["data"] != words["data"]
