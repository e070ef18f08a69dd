"""Observations with units and their archive: astropy and h5py. The expectations were written before the program was traced for the first time, from the
sources of the libraries: Quantity and Column copy an array by numpy.array, h5py makes what is not contiguous so by numpy.asarray."""
import os
import tempfile

import astropy.units as u  # expect: any
import h5py  # expect: any
import numpy as np
from astropy.table import Table  # expect: any

N_NIGHTS, N_PIXELS = 40, 512

counts = np.arange(N_NIGHTS * N_PIXELS, dtype="f8").reshape(N_NIGHTS, N_PIXELS)
flux = [counts[night] * u.Jy for night in range(N_NIGHTS)]  # expect: numpy-api numpy>astropy 40 copied
lengths = [u.Quantity(counts[night], u.m) for night in range(N_NIGHTS)]  # expect: numpy-api numpy>astropy 40 copied
views = [counts[night] << u.m for night in range(N_NIGHTS)]
total = sum(float(one.value.sum()) for one in flux + lengths + views)

tables = []
for night in range(N_NIGHTS):
    tables.append(Table({"counts": counts[night], "half": counts[night, : N_PIXELS]}))  # expect: numpy-api numpy>astropy 80 copied
total += sum(float(table["counts"].sum()) for table in tables)

with tempfile.TemporaryDirectory() as folder, h5py.File(os.path.join(folder, "nights.h5"), "w") as file:
    whole = file.create_dataset("whole", (N_NIGHTS, N_PIXELS), "f8")
    strided = file.create_dataset("strided", (N_NIGHTS, N_PIXELS // 2), "f8")
    for night in range(N_NIGHTS):
        whole[night] = counts[night]
        strided[night] = counts[night, ::2]  # expect: numpy-api numpy>h5py 40 copied
    total += float(whole[3].sum() + strided[5].sum())
print(round(total))
