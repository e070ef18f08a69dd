# SPDX-License-Identifier: MIT
"""`numba.cuda.as_cuda_array` raises SystemError if an extent or a stride is not an integer, or has more than 64 bits.

Library: Numba 0.68
Rules: DLC808
Clause: CUDA Array Interface, version 3, shape; strides
Impact: code that handles TypeError or ValueError of a malformed interface; SystemError names an internal function of Numba.
"""

import numpy
from numba import cuda

array = cuda.to_device(numpy.zeros((2, 3), "f4"))
for name, value in (("shape", ("2", 3)), ("shape", (2**64, 3)), ("strides", "12")):
    interface = {**array.__cuda_array_interface__, name: value}
    try:
        print(cuda.as_cuda_array(type("Malformed", (), {"__cuda_array_interface__": interface})()))
        raise AssertionError(name)
    except SystemError as error:
        assert "returned a result with an exception set" in str(error)
