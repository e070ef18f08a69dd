# TVM FFI: tensors from NumPy and back, and to JAX, which copies those that are not aligned to 64 bytes.
import jax
import numpy as np
import tvm_ffi

a = np.arange(100, dtype=np.float32)
for i in range(500):
    t = tvm_ffi.from_dlpack(a)  # expect: dlpack numpy>tvm_ffi 500
for i in range(500):
    n = np.from_dlpack(t)  # expect: dlpack tvm_ffi>numpy 500 shared
base = np.zeros(164, dtype=np.float32)
unaligned = base[-base.ctypes.data % 64 // 4 + 1 :]
u = tvm_ffi.from_dlpack(unaligned)  # expect: dlpack numpy>tvm_ffi 1
for i in range(100):
    j = jax.dlpack.from_dlpack(u)  # expect: dlpack tvm_ffi>jaxlib 100 copied
