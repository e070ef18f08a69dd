# JAX: it shares memory that is aligned to 64 bytes, and copies other memory silently.
import jax
import numpy as np


def at(offset):
    base = np.zeros(4096 + 128, dtype=np.uint8)
    start = -base.ctypes.data % 64 + offset
    return base[start : start + 4096].view(np.float32)


aligned, unaligned = at(0), at(4)
for i in range(300):
    j = jax.dlpack.from_dlpack(aligned)  # expect: dlpack numpy>jaxlib 300 shared
for i in range(200):
    u = jax.dlpack.from_dlpack(unaligned)  # expect: dlpack numpy>jaxlib 200 copied
for i in range(300):
    n = np.from_dlpack(j)  # expect: dlpack jaxlib>numpy 300 shared
