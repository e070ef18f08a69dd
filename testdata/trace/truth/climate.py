"""Climate archive: xarray over NumPy, zarr and h5py stores, numba kernels, bottleneck means.

The expectations were written before this program was traced. Two of them were wrong, which the comments explain.
"""
import os
import tempfile

import numpy as np
import h5py  # expect: any
import numba  # expect: any
import xarray as xr  # expect: any
import zarr  # expect: any
import pyarrow as pa  # expect: any

N_DAYS, N_LAT, N_LON = 24, 30, 40


@numba.njit(cache=False)
def anomaly(values, mean):
    out = np.empty_like(values)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            out[i, j] = values[i, j] - mean
    return out


def fields():
    for day in range(N_DAYS):
        yield np.sin(np.arange(N_LAT * N_LON, dtype="f8").reshape(N_LAT, N_LON) + day)


def shared(field):
    return np.from_dlpack(field)  # expect: dlpack numpy>numpy 24 shared


def frozen(field):
    return np.from_dlpack(field, copy=True)  # expect: dlpack numpy>numpy 24 copied


total = 0.0
kept = []
for field in fields():
    view = shared(field)
    own = frozen(view)
    own *= 2
    total += float(anomaly(own, float(own.mean()))[0, 0])
    kept.append(memoryview(own))

# NumPy releases the views of buffers, and refers to the objects, so that they are not HELD.
raw = [np.frombuffer(m, dtype="f8") for m in kept]  # expect: buffer python>numpy 24 shared
columns = [pa.py_buffer(r) for r in raw]  # expect: buffer numpy>pyarrow 24 held=24
back = [np.frombuffer(c, dtype="f8") for c in columns]  # expect: buffer pyarrow>numpy 24 shared
print(len(back), round(sum(float(b[0]) for b in back), 6))

# What the program converts itself does not count.
for field in fields():
    np.array(field), np.asarray(field, dtype="f4"), np.ascontiguousarray(field.T)

# An archive converts what has another type or order than its datasets.
with tempfile.TemporaryDirectory() as folder, h5py.File(os.path.join(folder, "archive.h5"), "w") as archive:
    for day, field in enumerate(fields()):
        archive.create_dataset("single/%d" % day, data=field.astype("f4"), dtype="f8")  # HDF5 converts while it writes
        archive.create_dataset("double/%d" % day, data=field)
        archive.create_dataset("turned/%d" % day, data=field.T)  # expect: numpy-api numpy>h5py 24 copied
    read = [archive["double/%d" % day][...] for day in range(N_DAYS)]
print(len(read), bool((read[5] == list(fields())[5]).all()))

data = xr.DataArray(np.stack(list(fields())), dims=("day", "lat", "lon"))
print(round(float(data.mean()), 9), data.sel(day=3).shape)
exported = [np.from_dlpack(data.values[i]) for i in range(N_DAYS)]  # expect: dlpack numpy>numpy 24 shared held=24
print(len(exported), round(total, 6))
