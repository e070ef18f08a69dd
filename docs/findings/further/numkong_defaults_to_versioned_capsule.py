# SPDX-License-Identifier: MIT
"""`__dlpack__()` of a tensor of 6-bit floating-point numbers returns a versioned capsule although none was requested.

Library: numkong 7.8
Rules: DLP103
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version (None: a legacy capsule)
Impact: consumers that pass no max_version, and support only the legacy struct: they reject the capsule.
"""

import numkong

assert '"dltensor_versioned"' in repr(numkong.zeros((2, 3), dtype="e2m3").__dlpack__())
