# SciPy through f2py: arrays in C's order and of other types are copied silently, others are passed.
import numpy as np
from scipy.linalg.lapack import dgetrf

c, f, single = np.eye(8), np.asfortranarray(np.eye(8)), np.asfortranarray(np.eye(8, dtype=np.float32))
for i in range(200):
    dgetrf(c)  # expect: numpy-api numpy>scipy 200 copied
for i in range(150):
    dgetrf(f)  # expect: numpy-api numpy>scipy 150 copied
for i in range(100):
    dgetrf(f, overwrite_a=1)
for i in range(50):
    dgetrf(single, overwrite_a=1)  # expect: numpy-api numpy>scipy 50 copied
