# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` of an image in host memory raises RuntimeError instead of AttributeError.

Library: nvImageCodec 0.9
Rules: CAI001
Clause: CUDA Array Interface, version 3, Python Interface Specification
Impact: consumers that test `hasattr(image, "__cuda_array_interface__")`: only AttributeError means that the attribute is
    missing, so their users see this error instead of the next protocol being tried.
"""

import numpy
from nvidia import nvimgcodec

image = nvimgcodec.as_image(numpy.zeros((4, 5, 3), "u1"))
assert image.__array_interface__["shape"] == (4, 5, 3)
try:
    hasattr(image, "__cuda_array_interface__")
    raise AssertionError("returned")
except RuntimeError as error:
    assert "Image buffer is not on device" in str(error)
