# SPDX-License-Identifier: MIT
"""`__dlpack__(max_version=(0, 8))` raises AttributeError because it calls a nonexistent method.

Library: apache-tvm-ffi
Rules: DLP103
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version; array.__dlpack__ Raises
Impact: consumers that request a version before 1.0: the error states that the tensor lacks an attribute.
"""

import numpy
import tvm_ffi

try:
    tvm_ffi.from_dlpack(numpy.zeros(3)).__dlpack__(max_version=(0, 8))
    raise AssertionError("exported")
except AttributeError as error:
    assert "to_dlpack" in str(error)
