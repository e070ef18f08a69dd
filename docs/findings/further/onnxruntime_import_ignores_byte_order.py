# SPDX-License-Identifier: MIT
"""`OrtValue.ortvalue_from_numpy` reads the elements of an array of the other byte order in the machine's order.

Library: onnxruntime 1.32
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: models that are run with arrays read from big-endian files: each number is wrong.
Known: seen on 2026-11-23.
"""

import numpy
import onnxruntime

value = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.array([1, 256], ">i4"))
assert value.numpy().tolist() == [2**24, 2**16]
