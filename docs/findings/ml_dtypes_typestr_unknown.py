# SPDX-License-Identifier: MIT
"""`typestr` of float8_e5m2, complex32 and bcomplex32 is '<f1' or '<W4', which NumPy does not support.

Library: ml_dtypes
Clause: NumPy array interface protocol, version 3, typestr (the letters, and the sizes that NumPy has for them)
Impact: code that passes such arrays on through the array interface or numpy.save: the reader raises TypeError.
    bfloat16 and the other types are read as raw bytes ('<V2').
Known: https://github.com/jax-ml/ml_dtypes/issues/216
"""

import ml_dtypes
import numpy

for kind, typestr in ((ml_dtypes.float8_e5m2, "<f1"), (ml_dtypes.complex32, "<W4")):
    assert numpy.zeros(2, kind).__array_interface__["typestr"] == typestr
    try:
        numpy.dtype(typestr)
        raise AssertionError(typestr)
    except TypeError as error:
        assert "not understood" in str(error)
