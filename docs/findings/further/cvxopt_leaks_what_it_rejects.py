# SPDX-License-Identifier: MIT
"""`cvxopt.matrix` keeps a reference to an array that it rejects because of its number of dimensions.

Library: cvxopt 1.3
Rules: DLC703
Clause: Python C API Buffer Protocol, version 3, PyBuffer_Release
Impact: programs that fall back to another conversion: the memory of each such array is never freed.
"""

import sys

import cvxopt
import numpy

array = numpy.zeros((2, 2, 2))
before = sys.getrefcount(array)
try:
    cvxopt.matrix(array)
except TypeError:
    pass
assert sys.getrefcount(array) == before + 1
