# SPDX-License-Identifier: MIT
"""PyArrow: arrays, tensors and buffers for --calls and --lifetime."""

import numpy as np
import pyarrow as pa


def array():
    return pa.array([1, 2, 3])


def array_sliced():
    return pa.array([1, 2, 3, 4])[1:3]


def array_halfs():
    return pa.array(np.ones(3, "f2"))


def array_empty():
    return pa.array([], pa.int32())


def array_missing():
    return pa.array([1, None, 3])


def array_boolean():
    return pa.array([True, False])


def array_text():
    return pa.array(["a", "b"])


def array_dates():
    return pa.array(np.array(["2020-01-01"], "M8[D]"))


def tensor():
    return pa.Tensor.from_numpy(np.arange(12.0).reshape(3, 4))


def tensor_fortran():
    return pa.Tensor.from_numpy(np.asfortranarray(np.arange(12.0).reshape(3, 4)))


def tensor_strided():
    return pa.Tensor.from_numpy(np.arange(12.0).reshape(3, 4)[:, ::2])


def tensor_0d():
    return pa.Tensor.from_numpy(np.array(1.0))


def tensor_readonly():
    return pa.Tensor.from_numpy(np.broadcast_to(np.zeros(1), 1))


def buffer():
    return pa.py_buffer(b"12345678")


def buffer_mutable():
    return pa.allocate_buffer(8)
