# SPDX-License-Identifier: MIT
"""Arrays of StringDType have an array interface, with a `typestr` that is none.

Library: numpy
Clause: NumPy array interface protocol, version 3, typestr (a byte order, a letter, a number)
Hurts: who asks `hasattr(x, "__array_interface__")` and reads it: `typestr` is 'StringDType()', the struct has
    the unknown kind T, and the bytes are NumPy's own packed form, which nobody else can read.
"""

import numpy

strings = numpy.array(["a", "bc"], numpy.dtypes.StringDType())
copied = type("Copied", (), {"__array_interface__": strings.__array_interface__})()
assert copied.__array_interface__["typestr"] == "StringDType()"
try:
    numpy.asarray(copied)
    raise AssertionError("NumPy reads what it wrote")
except TypeError as error:
    assert "not understood" in str(error)
