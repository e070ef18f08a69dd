# SPDX-License-Identifier: MIT
"""`xgboost.DMatrix` of an array of the other byte order has its bytes as elements in the machine's order.

Library: xgboost 3.4
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: models that are trained with data of big-endian files: each number is wrong.
"""

import numpy
import xgboost

matrix = xgboost.DMatrix(numpy.array([[1.0]], ">f4"))
assert matrix.get_data().toarray().tolist() == numpy.array([[1.0]], ">f4").view("<f4").tolist() != [[1.0]]
