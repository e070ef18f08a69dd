"""Ragged events: awkward and polars columns, Arrow arrays, pyfftw transforms, threads.

The expectations were written before this program was traced, but for the copies of memoryviews, which were forgotten,
views that NumPy releases while it refers to their object, and lines at which pyarrow imports pandas, and Awkward passes its buffers.
"""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import awkward as ak  # expect: any
import polars as pl  # expect: any
import pyarrow as pa  # expect: any
import pyfftw  # expect: any

N = 40


def hits(event):
    return np.arange(50.0) * (event + 1)


def consume(event):
    a = hits(event)
    return float(np.from_dlpack(a).sum())  # expect: dlpack numpy>numpy 40 shared


with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(consume, range(N))))

tensors = [pa.Tensor.from_numpy(hits(i)) for i in range(N)]
views = [np.frombuffer(t, dtype="f8") for t in tensors]  # expect: buffer pyarrow>numpy 40 shared
print(len(views), views[3][2])

buffers = [pa.py_buffer(hits(i)) for i in range(N)]  # expect: buffer numpy>pyarrow 40 held=40
copies = [np.array(memoryview(b)) for b in buffers]  # expect: buffer python>numpy 40 copied
print(sum(c.nbytes for c in copies))

exported = pa.array(range(50), pa.float64())  # expect: any
for i in range(N):
    np.from_dlpack(exported)  # expect: dlpack pyarrow>numpy 40 shared

shares = [np.from_dlpack(hits(i), copy=True) for i in range(N)]  # expect: dlpack numpy>numpy 40 copied held=40
print(len(shares))

layout = ak.Array([[1.0, 2.0], [], [3.0]])  # expect: any
print(ak.to_list(layout * 2), ak.sum(layout))  # expect: any
frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1, 2, 3]})
print(frame["a"].sum(), frame.height)
