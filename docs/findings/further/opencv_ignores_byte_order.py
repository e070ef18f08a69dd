# SPDX-License-Identifier: MIT
"""Functions of cv2 read the elements of an array of the other byte order in the machine's order.

Library: opencv-python-headless 5.0
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: images that are read from big-endian files, such as FITS: each number is wrong.
Known: seen on 2026-11-23.
"""

import cv2
import numpy

assert cv2.transpose(numpy.array([[1, 256]], ">i4")).tolist() == [[2**24], [2**16]]
