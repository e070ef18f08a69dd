# SPDX-License-Identifier: MIT
"""`StorageView.from_array` reads the elements of an array of the other byte order in the machine's order.

Library: ctranslate2 4.8
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: code that passes big-endian arrays, such as those of files: other numbers, without an exception.
"""

import ctranslate2
import numpy

assert numpy.asarray(ctranslate2.StorageView.from_array(numpy.array([1], ">i4"))).tolist() == [1 << 24]
