# SPDX-License-Identifier: MIT
"""The buffer of a transposed tensor is granted to consumers that require consecutive elements.

Library: numkong 7.8
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests (PyBUF_SIMPLE)
Impact: code that writes a transposed tensor to a file: the elements are those of the original, in its order.
"""

import io

import numkong
import numpy

tensor = numkong.Tensor(numpy.arange(6.0).reshape(2, 3)).T
file = io.BytesIO()
file.write(tensor)
assert numpy.frombuffer(file.getvalue()).tolist() == [0, 1, 2, 3, 4, 5] != numpy.asarray(tensor).ravel().tolist()
