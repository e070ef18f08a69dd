# SPDX-License-Identifier: MIT
"""`MNN.Tensor` of an array of the other byte order has its bytes as elements in the machine's order.

Library: MNN 3.6
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: data of big-endian files, such as FITS or NetCDF: each number is wrong.
"""

import MNN
import numpy

array = numpy.array([1, 256], ">i4")
tensor = MNN.Tensor(array.shape, MNN.Halide_Type_Int, array, MNN.Tensor_DimensionType_Caffe)
assert tensor.getNumpyData().tolist() == [2**24, 2**16]
