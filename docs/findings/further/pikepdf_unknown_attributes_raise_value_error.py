# SPDX-License-Identifier: MIT
"""Reading any unknown attribute of a name, string or number raises ValueError instead of AttributeError.

Library: pikepdf 10.18
Rules: CAI001, DLP007, NAI002, SUAI001
Clause: NumPy array interface protocol, version 3, introduction; Python library reference, version 3, hasattr
Impact: code that tests for an interface with `hasattr`, such as `numpy.asarray`: ValueError instead of an array of one
    object.
"""

import numpy
import pikepdf

for test in lambda text: hasattr(text, "__dlpack__"), numpy.asarray:
    try:
        test(pikepdf.String("text"))
        raise SystemExit("no exception")
    except ValueError as error:
        assert "cannot get key" in str(error)
