# SPDX-License-Identifier: MIT
"""Arrays of QuadPrecDType have an array interface with an invalid `typestr`.

Library: numpy_quaddtype 1.0
Rules: NAI201
Clause: NumPy array interface protocol, version 3, typestr (a byte order, a letter, a number)
Impact: code that tests `hasattr(x, "__array_interface__")` and uses it: `typestr` is "QuadPrecDType(backend='sleef')".
"""

import numpy
import numpy_quaddtype

array = numpy.zeros(2, numpy_quaddtype.QuadPrecDType())
assert array.__array_interface__["typestr"].startswith("QuadPrecDType(")
