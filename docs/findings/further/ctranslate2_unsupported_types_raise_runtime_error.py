# SPDX-License-Identifier: MIT
"""`__array_interface__` of a storage of bfloat16 raises RuntimeError, which `hasattr` does not catch.

Library: ctranslate2 4.8
Rules: NAI002
Clause: NumPy array interface protocol, version 3, __array_interface__ (an attribute that an object may lack)
Impact: code that tests for the attribute, or passes the storage to NumPy: an exception, although another method might
    have applied. `__cuda_array_interface__` of a storage in host memory raises AttributeError.
"""

import ctranslate2
import numpy

storage = ctranslate2.StorageView.from_array(numpy.ones(3, "f4")).to(ctranslate2.DataType.bfloat16)
try:
    hasattr(storage, "__array_interface__")
    raise SystemExit("no exception")
except RuntimeError:
    assert not hasattr(storage, "__cuda_array_interface__")
