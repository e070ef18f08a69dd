# Warp, which handles capsules through ctypes, and h5py, which copies what it writes silently unless it is contiguous. HDF5 itself
# converts the elements of wide.
import h5py
import numpy as np
import warp

warp.config.quiet = True
warp.init()
a = np.arange(64, dtype=np.float32)
wide = np.arange(64.0)
for i in range(130):
    w = warp.from_dlpack(a)  # expect: dlpack numpy>warp 130
for i in range(110):
    n = np.from_dlpack(w)  # expect: dlpack warp>numpy 110 shared
with h5py.File("memory.h5", "w", driver="core", backing_store=False) as file:
    single = file.create_dataset("single", (64,), dtype="f4")
    for i in range(90):
        single[...] = a[::-1]  # expect: numpy-api numpy>h5py 90 copied
    for i in range(60):
        single[...] = wide
    for i in range(70):
        single[...] = a
print(n.sum())
