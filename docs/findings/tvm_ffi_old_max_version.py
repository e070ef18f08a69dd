# SPDX-License-Identifier: MIT
"""`__dlpack__(max_version=(0, 8))` raises AttributeError: it calls a method by a name that it does not have.

Library: apache-tvm-ffi
Rules: DLP103
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version; array.__dlpack__ Raises
Hurts: consumers of DLPack before 1.0 that say so: they are told that the tensor has no such attribute.
"""

import numpy
import tvm_ffi

try:
    tvm_ffi.from_dlpack(numpy.zeros(3)).__dlpack__(max_version=(0, 8))
    raise AssertionError("exported")
except AttributeError as error:
    assert "to_dlpack" in str(error)
