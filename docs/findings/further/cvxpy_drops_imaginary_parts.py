# SPDX-License-Identifier: MIT
"""`Constant` drops the imaginary parts of a NumPy array of complex64 in the other byte order.

Library: cvxpy 1.9
Rules: DLC307
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: code that passes big-endian arrays, such as those of files: other numbers, with a warning only.
"""

import cvxpy
import numpy

assert cvxpy.Constant(numpy.array([1 + 2j], "<c8")).value.tolist() == [1 + 2j]
assert cvxpy.Constant(numpy.array([1 + 2j], ">c8")).value.tolist() == [1]
