# NumPy arrays of objects with a buffer: views, and copies that a type, an order or np.array() requires.
import array

import numpy as np
import pyarrow as pa

b = array.array("d", range(100))
strided = memoryview(b)[::2]
arrow = pa.py_buffer(bytes(64))  # expect: buffer python>pyarrow 1
for i in range(200):
    x = np.asarray(b)  # expect: buffer python>numpy 200 shared
for i in range(150):
    x = np.array(b)  # expect: buffer python>numpy 150 copied
for i in range(100):
    x = np.asarray(strided)  # expect: buffer python>numpy 100 shared
for i in range(90):
    x = np.asarray(b, dtype=np.float32)  # expect: buffer python>numpy 90 copied
for i in range(80):
    x = np.asarray(arrow)  # expect: buffer pyarrow>numpy 80 shared
for i in range(70):
    x = np.array(b, copy=False)  # expect: buffer python>numpy 70 shared
for i in range(60):
    x = np.asarray(x)
    x = np.array([1, 2, 3])
