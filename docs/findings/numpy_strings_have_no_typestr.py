# SPDX-License-Identifier: MIT
"""Arrays of StringDType have an array interface with an invalid `typestr`.

Library: numpy
Clause: NumPy array interface protocol, version 3, typestr (a byte order, a letter, a number)
Impact: code that tests `hasattr(x, "__array_interface__")` and uses it: `typestr` is 'StringDType()', the struct has
    the unknown kind T, and the bytes are in a packed form that only NumPy can read.
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
