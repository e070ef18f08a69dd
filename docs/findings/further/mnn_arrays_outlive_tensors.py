# SPDX-License-Identifier: MIT
"""The array that `Tensor.getNumpyData()` returns does not keep the memory of the tensor alive.

Library: MNN 3.6
Rules: DLC306
Clause: derived from NumPy array interface protocol, version 3, data
Impact: functions that return the output of a network so: the result is freed memory.
"""

import os

import MNN
import numpy

ones = numpy.ones(1 << 24, "f4")
array = MNN.Tensor(ones.shape, MNN.Halide_Type_Float, ones, MNN.Tensor_DimensionType_Caffe).getNumpyData()
assert array.base is None and not array.flags.owndata
os.fork() or os._exit(array[0] == 1)
assert os.WTERMSIG(os.wait()[1]) == 11
