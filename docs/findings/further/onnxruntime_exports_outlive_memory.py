# SPDX-License-Identifier: MIT
"""`__dlpack__` of an `OrtValue` made by `ortvalue_from_numpy` does not keep the NumPy array alive.

Library: onnxruntime 1.32
Rules: DLP709
Clause: dlpack.h, version 1.3, DLManagedTensorVersioned.deleter
Impact: code that drops the OrtValue after passing it on: the consumer reads freed memory, or crashes.
"""

import os

import numpy
import onnxruntime

value = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.ones(1 << 24, "f4"))
array = numpy.from_dlpack(value)
del value
os.fork() or os._exit(array[0] == 1)
assert os.WTERMSIG(os.wait()[1]) == 11
