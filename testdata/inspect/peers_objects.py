# SPDX-License-Identifier: MIT
"""Exporters other than NumPy: pyarrow, tvm_ffi, and NumPy arrays of ml_dtypes."""

import ml_dtypes
import numpy as np
import pyarrow
import truth
import tvm_ffi

truths = {}


def tell(name, exported, **more):
    globals()[name] = exported
    truths[name] = more


for each in ("int8", "uint16", "int32", "int64", "float16", "float32", "float64"):
    dtype = getattr(pyarrow, each)()
    values = np.arange(5).astype(each)
    column = pyarrow.array(values, dtype)
    part = column.slice(1, 3)
    tell(f"arrow_{each}", column, pointer=column.buffers()[1].address, shape=[5],
         strides_bytes=[values.itemsize], dtype=each, values=[0, 4])
    tell(f"arrow_{each}_part", part, pointer=column.buffers()[1].address + values.itemsize,
         shape=[3], dtype=each, values=[1, 3])

chunk = pyarrow.py_buffer(b"0123456789")
tell("chunk", chunk, pointer=chunk.address, shape=[10], readonly=True, checksum="a684c7c6")

for each in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
    small = np.arange(4).astype(getattr(ml_dtypes, each))
    tell(each, small, pointer=small.ctypes.data, shape=[4], strides_bytes=[small.itemsize],
         but={"dlpack": {"dtype": each}})

base = np.arange(6, dtype="f4").reshape(2, 3)
tensor = tvm_ffi.from_dlpack(base)
tell("tensor", tensor, pointer=base.ctypes.data, shape=[2, 3], strides_bytes=[12, 4],
     dtype="float32", readonly=False, values=[0, 5])
del column, part, small, base, values
truth.write(truths)
