# expect at least: to_device=40 to_host=20
import numpy as np
from numba import cuda

x = np.arange(1000, dtype=np.float32)
for i in range(40):
    d = cuda.to_device(x)
for i in range(20):
    h = d.copy_to_host()
stream = cuda.stream()
event = cuda.event()
for i in range(5):
    event.record()
    event.wait(stream)
cuda.synchronize()
