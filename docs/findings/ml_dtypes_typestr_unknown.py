# SPDX-License-Identifier: MIT
"""float8_e5m2, complex32 and bcomplex32 have a `typestr` that NumPy does not know: '<f1', '<W4'.

Library: ml_dtypes
Clause: NumPy array interface protocol, version 3, typestr (the letters, and the sizes that NumPy has for them)
Hurts: who hands such arrays on through the array interface or numpy.save: the reader raises TypeError, where
    bfloat16 and the other types come back as raw bytes ('<V2').
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
