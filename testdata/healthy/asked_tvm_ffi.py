# SPDX-License-Identifier: MIT
"""tvm-ffi: tensors for --calls and --lifetime."""

import numpy as np
import tvm_ffi


def plain():
    return tvm_ffi.from_dlpack(np.arange(12.0).reshape(3, 4))


def view():
    return tvm_ffi.from_dlpack(np.arange(12.0).reshape(3, 4)[1:, ::2])


def zero_d():
    return tvm_ffi.from_dlpack(np.array(1.5))


def empty():
    return tvm_ffi.from_dlpack(np.zeros((0, 3)))


def boolean():
    return tvm_ffi.from_dlpack(np.array([True, False]))
