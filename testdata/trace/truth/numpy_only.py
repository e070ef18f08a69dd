# NumPy: views, copies that are requested, buffers, capsules that nothing consumes.
import array

import numpy as np

a = np.arange(64.0)
a_reversed = a[::-1]
numbers = array.array("d", range(64))
for i in range(1000):
    v = np.from_dlpack(a)  # expect: dlpack numpy>numpy 1000 shared
for i in range(500):
    v = np.from_dlpack(a, copy=True)  # expect: dlpack numpy>numpy 500 copied
for i in range(300):
    v = np.from_dlpack(a_reversed)  # expect: dlpack numpy>numpy 300 shared
for i in range(250):
    v = np.frombuffer(numbers, offset=8 * (i % 8))  # expect: buffer python>numpy 250 shared
for i in range(150):
    v = np.asarray(numbers, dtype=np.float32)  # expect: buffer python>numpy 150 copied
for i in range(200):
    a.__dlpack__()  # expect: dlpack numpy> 0 never=200
for i in range(100):
    v = np.from_dlpack(np.zeros((0, 3)))  # expect: dlpack numpy>numpy 100
views = [np.from_dlpack(np.ones(8)) for i in range(50)]  # expect: dlpack numpy>numpy 50 shared held=50
