# SPDX-License-Identifier: MIT
"""`safetensors.numpy.save` writes the elements of an array that is not contiguous from consecutive addresses.

Library: safetensors 0.8
Rules: DLC302
Clause: NumPy array interface protocol, version 3, strides
Impact: code that saves transposed, sliced or reversed arrays: the file has other elements, without an exception.
"""

import numpy
from safetensors.numpy import load, save

array = numpy.arange(6.0).reshape(2, 3)
assert load(save({"a": array.T}))["a"].tolist() == [[0, 1], [2, 3], [4, 5]] != array.T.tolist()
assert load(save({"a": array[:, ::2]}))["a"].tolist() == [[0, 1], [2, 3]] != array[:, ::2].tolist()
