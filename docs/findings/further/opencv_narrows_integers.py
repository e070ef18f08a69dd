# SPDX-License-Identifier: MIT
"""Functions of cv2 convert integers of 64 bits to 32 bits, without the high bits and without a warning.

Library: opencv-python-headless 5.0
Rules: DLC307
Clause: NumPy array interface protocol, version 3, typestr
Impact: arrays of int64, NumPy's default type, and uint64: numbers that int32 lacks change.
Known: seen on 2026-11-23.
"""

import cv2
import numpy

result = cv2.transpose(numpy.array([[2**40 + 7, 5]]))
assert (str(result.dtype), result.tolist()) == ("int32", [[7], [5]])
