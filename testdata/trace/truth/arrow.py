# PyArrow: buffers of NumPy arrays, and arrays through DLPack, which JAX copies unless they are aligned to 64 bytes.
import jax
import numpy as np
import pyarrow as pa

a = np.arange(100, dtype=np.int32)
column = pa.array(range(100), type=pa.int32())  # expect: any (it imports pandas if that exists)
for i in range(300):
    b = pa.py_buffer(a)  # expect: buffer numpy>pyarrow 300
for i in range(200):
    n = np.frombuffer(b, dtype=np.int32)  # expect: buffer pyarrow>numpy 200 shared
for i in range(400):
    n = np.from_dlpack(column)  # expect: dlpack pyarrow>numpy 400 shared
for i in range(50):
    n = np.from_dlpack(column[10:20])  # expect: dlpack pyarrow>numpy 50 shared
for i in range(100):
    j = jax.dlpack.from_dlpack(column[1:])  # expect: dlpack pyarrow>jaxlib 100 copied
