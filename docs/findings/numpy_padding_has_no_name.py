# SPDX-License-Identifier: MIT
"""`descr` of a padded structure with default field names contains a name twice: NumPy rejects its own array interface.

Library: numpy
Rules: NAI116
Clause: NumPy array interface protocol, version 3, descr (the document does not define unnamed fields)
Impact: objects that return the `__array_interface__` of such an array as their own: numpy.asarray raises ValueError.
"""

import numpy

interface = numpy.zeros(3, numpy.dtype("u1,f8", align=True)).__array_interface__
assert interface["descr"] == [("f0", "|u1"), ("", "|V7"), ("f1", "<f8")]
Wrapper = type("Wrapper", (), {"__array_interface__": interface})
try:
    numpy.asarray(Wrapper())
    raise AssertionError("it reads its own export")
except ValueError as error:
    assert "field 'f1' occurs more than once" in str(error)
