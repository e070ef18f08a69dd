# SPDX-License-Identifier: MIT
"""`tinygrad.Tensor` of an array of the other byte order has its bytes as elements in the machine's order.

Library: tinygrad 0.14
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: data of big-endian files, such as FITS or NetCDF: each number is wrong.
"""

import numpy
import tinygrad

assert tinygrad.Tensor(numpy.array([1, 256], ">i4"), device="CPU").numpy().tolist() == [2**24, 2**16]
