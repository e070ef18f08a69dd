# SPDX-License-Identifier: MIT
"""The buffer format of a packed record extracted from its array describes an aligned record.

Library: numpy
Clause: Python C API Buffer Protocol, version 3, Py_buffer.itemsize (the size that format describes)
Impact: code that unpacks the record by format: all fields after the first gap are read at wrong offsets.
"""

import struct

import numpy

records = numpy.zeros(2, [("a", "i1"), ("b", "f4")])
assert memoryview(records).format == "T{b:a:=f:b:}"
assert memoryview(records[0]).format == "T{b:a:f:b:}"
assert memoryview(records[0]).itemsize == 5 and struct.calcsize("bf") == 8
