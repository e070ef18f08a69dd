# SPDX-License-Identifier: MIT
"""The buffer format of a packed record taken out of its array describes an aligned one.

Library: numpy
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Hurts: who unpacks the record by format: all fields after the first gap are read from the wrong place.
"""

import struct

import numpy

records = numpy.zeros(2, [("a", "i1"), ("b", "f4")])
assert memoryview(records).format == "T{b:a:=f:b:}"
assert memoryview(records[0]).format == "T{b:a:f:b:}"
assert memoryview(records[0]).itemsize == 5 and struct.calcsize("bf") == 8
