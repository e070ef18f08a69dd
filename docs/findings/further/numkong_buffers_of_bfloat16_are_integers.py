# SPDX-License-Identifier: MIT
"""The buffer of a tensor of bfloat16, of 8-bit floating-point numbers or of complex32 is one of unsigned integers.

Library: numkong 7.8
Rules: NAI901
Clause: Python C API Buffer Protocol, version 3, Py_buffer.format
Impact: numpy.asarray, which prefers the buffer, returns the bits as integers, without an exception.
"""

import numkong
import numpy

assert numpy.asarray(numkong.ones((2,), dtype="bfloat16")).tolist() == [16256, 16256]
