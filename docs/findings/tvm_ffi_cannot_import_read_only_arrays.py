# SPDX-License-Identifier: MIT
"""`from_dlpack` cannot import read-only arrays: it passes no version, and legacy capsules cannot express read-only.

Library: apache-tvm-ffi
Rules: DLC807
Clause: Python array API standard, version 2025.12, from_dlpack Notes; array.__dlpack__ max_version
Impact: code that passes read-only NumPy arrays to it: NumPy would export them for max_version=(1, 0).
"""

import numpy
import tvm_ffi

constant = numpy.frombuffer(b"eight bytes here")
assert '"dltensor_versioned"' in repr(constant.__dlpack__(max_version=(1, 0)))
try:
    tvm_ffi.from_dlpack(constant)
    raise AssertionError("accepted")
except BufferError as error:
    assert "readonly" in str(error)
