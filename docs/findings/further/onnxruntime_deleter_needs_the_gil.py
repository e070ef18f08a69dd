# SPDX-License-Identifier: MIT
"""The deleter of an `OrtValue` whose elements were copied crashes when it is called without the GIL.

Library: onnxruntime 1.32
Rules: DLP705
Clause: derived from dlpack.h, version 1.3, DLManagedTensorVersioned.deleter
Impact: consumers that release memory in separate threads, as `jax.numpy.from_dlpack` may: they crash if the NumPy
    array was not contiguous, and the OrtValue was released before. The reproduction requires CPython 3.12 or later, whose
    allocator has a state per thread; with an older one the deleter may return.
"""

import ctypes
import os

import numpy
import onnxruntime

capsule = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.ones(10, "f4")[::2]).__dlpack__()
managed = ctypes.c_uint64.from_address(id(capsule) + object.__basicsize__).value  # the pointer of the capsule
deleter = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(ctypes.c_uint64.from_address(managed + 56).value)
os.fork() or deleter(managed) or os._exit(0)  # ctypes releases the GIL
assert os.WTERMSIG(os.wait()[1]) == 11
