# SPDX-License-Identifier: MIT
"""The array that `OrtValue.numpy()` returns does not keep the memory of an array alive that `ortvalue_from_numpy` was passed.

Library: onnxruntime 1.32
Rules: DLC705
Clause: derived from NumPy array interface protocol, version 3, data
Impact: functions that return `OrtValue.ortvalue_from_numpy(array).numpy()`: the result is freed memory.
Known: seen on 2026-11-26.
"""

import os

import numpy
import onnxruntime

array = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.ones(1 << 24, "f4")).numpy()
os.fork() or os._exit(array[0] == 1)
assert os.WTERMSIG(os.wait()[1]) == 11
