# A thread pool: exchanges of several threads at the same line.
import array
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def work(n):
    for i in range(n):
        v = np.from_dlpack(np.full(16, float(n)))  # expect: dlpack numpy>numpy 1000 shared
    for i in range(10):
        w = np.asarray(array.array("d", range(i + 1)), dtype=np.float32)  # expect: buffer python>numpy 100 copied
    return np.from_dlpack(v, copy=True)  # expect: dlpack numpy>numpy 10 copied


with ThreadPoolExecutor(4) as pool:
    print(sum(len(result) for result in pool.map(work, [100] * 10)))
