# SPDX-License-Identifier: MIT
"""`from_dlpack` cannot take read-only arrays: it asks for no version, and legacy capsules cannot say read-only.

Library: apache-tvm-ffi
Rules: consumers are not judged yet
Clause: Python array API standard, version 2025.12, from_dlpack Notes; array.__dlpack__ max_version
Hurts: who hands it read-only NumPy arrays: NumPy would export them to anybody who asks for max_version=(1, 0).
"""

import numpy
import tvm_ffi

constant = numpy.frombuffer(b"eight bytes here")
assert '"dltensor_versioned"' in repr(constant.__dlpack__(max_version=(1, 0)))
try:
    tvm_ffi.from_dlpack(constant)
    raise AssertionError("taken")
except BufferError as error:
    assert "readonly" in str(error)
