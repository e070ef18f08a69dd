# pandas: it copies the arrays that it makes frames of, except with copy=False, by functions of NumPy.
import numpy as np
import pandas as pd  # expect: any

a = np.arange(100.0).reshape(20, 5)
one = np.arange(50.0)
np.asarray(pd.Series(one))
for i in range(120):
    d = pd.DataFrame(a)  # expect: numpy-api numpy>pandas 120 copied
for i in range(60):
    d = pd.DataFrame(a, copy=False)
for i in range(50):
    s = pd.Series(one, copy=False)
