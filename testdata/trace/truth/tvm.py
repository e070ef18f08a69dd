# TVM FFI: tensors from NumPy and back.
import numpy as np
import tvm_ffi

a = np.arange(100, dtype=np.float32)
for i in range(500):
    t = tvm_ffi.from_dlpack(a)  # expect: dlpack numpy>tvm_ffi 500
for i in range(500):
    n = np.from_dlpack(t)  # expect: dlpack tvm_ffi>numpy 500 shared
