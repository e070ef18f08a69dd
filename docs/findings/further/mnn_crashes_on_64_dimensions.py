# SPDX-License-Identifier: MIT
"""`MNN.Tensor` and `MNN.numpy.array` crash on a NumPy array of 64 dimensions.

Library: MNN 3.6
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: users who pass arrays of more dimensions than MNN supports: the process is killed by SIGSEGV instead of an exception.
"""

import subprocess
import sys

for make in "MNN.numpy.array(array)", "MNN.Tensor(array.shape, MNN.Halide_Type_Float, array, MNN.Tensor_DimensionType_Caffe)":
    code = f"import numpy, MNN.numpy; array = numpy.zeros((1,) * 64, 'f4'); {make}"
    assert subprocess.run([sys.executable, "-c", code]).returncode == -11
