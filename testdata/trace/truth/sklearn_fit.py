# scikit-learn: check_array converts the type and the order of an array silently, and passes others on.
import numpy as np
from sklearn.utils import check_array  # expect: any

wide, single = np.ones((30, 4)), np.ones((30, 4), dtype=np.float32)
for i in range(150):
    x = check_array(single, dtype=np.float64)  # expect: numpy-api numpy>sklearn 150 copied
for i in range(100):
    x = check_array(wide, order="F")  # expect: numpy-api numpy>sklearn 100 copied
for i in range(80):
    x = check_array(wide)
for i in range(40):
    x = check_array(wide, copy=True)  # expect: numpy-api numpy>sklearn 40 copied
