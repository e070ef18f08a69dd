# SPDX-License-Identifier: MIT
"""Functions of cv2 read consecutive memory if all strides of an array are 0.

Library: opencv-python-headless 5.0
Rules: DLC302
Clause: NumPy array interface protocol, version 3, strides
Impact: `numpy.broadcast_to(value, (n, 1))`: the elements are what follows the value in memory, outside of the array.
Known: seen on 2026-11-26.
"""

import cv2
import numpy

array = numpy.lib.stride_tricks.as_strided(numpy.array([1, 7], "f4"), (2, 1), (0, 0))
assert array.tolist() == [[1], [1]] and cv2.copyMakeBorder(array, 0, 0, 0, 0, 0).tolist() == [[1], [7]]
