# SPDX-License-Identifier: MIT
"""Matrices have `__dlpack__` but not `__dlpack_device__`, and `__dlpack__` has no keywords.

Library: slangpy 0.43
Rules: DLP001, DLP005
Clause: Python array API standard, version 2025.12, Data interchange mechanisms; array.__dlpack_device__
Impact: consumers that call `__dlpack_device__` first, such as `torch.from_dlpack`: they raise AttributeError.
"""

import slangpy

matrix = slangpy.float4x4.identity()
assert hasattr(matrix, "__dlpack__") and not hasattr(matrix, "__dlpack_device__")
try:
    matrix.__dlpack__(max_version=(1, 0))
except TypeError:
    pass
else:
    raise AssertionError("max_version was accepted")
