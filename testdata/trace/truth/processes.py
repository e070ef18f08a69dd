# multiprocessing, forked and spawned: run with --follow.
import array
import multiprocessing

import numpy as np


def work(n):
    for i in range(n):
        v = np.from_dlpack(np.arange(16.0))  # expect: dlpack numpy>numpy 400 shared
    w = np.asarray(array.array("d", range(16)), dtype=np.float32)  # expect: buffer python>numpy 20 copied
    return float(np.from_dlpack(v, copy=True).sum())  # expect: dlpack numpy>numpy 20 copied


if __name__ == "__main__":
    for method in "fork", "spawn":
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(sum(pool.map(work, [20] * 10)))
