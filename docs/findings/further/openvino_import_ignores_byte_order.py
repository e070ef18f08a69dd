# SPDX-License-Identifier: MIT
"""`openvino.Tensor` of an array of the other byte order has its bytes as elements in the machine's order.

Library: openvino 2026.4
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: data of big-endian files, such as FITS or NetCDF: each number is wrong.
Known: seen on 2026-11-26.
"""

import numpy
import openvino

assert openvino.Tensor(numpy.array([1, 256], ">i4")).data.tolist() == [2**24, 2**16]
