"""`__array_interface__` of a scalar has a private key, `__ref`, and its memory is freed with the dictionary.

Library: numpy
Rules: NAI004, NAI701
Clause: NumPy array interface protocol, version 3, __array_interface__
Impact: code that keeps the scalar but passes on only `data`, or a copy of the standard keys: the memory is freed.
"""

import numpy

scalar = numpy.float64(1.5)
interface = scalar.__array_interface__
assert interface["__ref"].ctypes.data == interface["data"][0]
kept = scalar.__array_interface__
assert kept["data"] != interface["data"]
