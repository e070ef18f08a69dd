"""Formulas over sensor readings: NumExpr, Bottleneck and H3. The expectations were written before the program was traced for the first time, from the
sources of the libraries: numexpr.evaluate() calls numpy.asarray for each operand when it compiles an expression and again when it computes it, and then
accesses arrays directly; Bottleneck does so too, but copies what it reorders by PyArray_NewCopy, and converts other objects than arrays by PyArray_FromAny; H3's
Cython functions request a buffer of the cells that they receive, and NumPy one of those that they return."""
import array

import bottleneck as bn  # expect: any
import h3.api.numpy_int as h3  # expect: any
import numexpr as ne  # expect: any
import numpy as np

N_DAYS, N = 30, 256
rng = np.random.default_rng(3)
days = [rng.normal(20.0, 4.0, N) for _ in range(N_DAYS)]
raw = [array.array("d", day.tolist()) for day in days]
total = 0.0

for day, other in zip(days, days[::-1]):
    total += float(ne.evaluate("2 * day + other").sum())
    total += float(ne.evaluate("sum(day * other)"))
    total += float(ne.evaluate("day + other", out=np.empty(N))[0])
    strided = day[::2]
    total += float(ne.evaluate("sqrt(abs(strided))")[0])
for day, sensor in zip(days, raw):
    total += float(ne.evaluate("sensor - day")[0])  # expect: buffer python>numpy 60 shared
    total += float(ne.evaluate("sensor * sensor")[1])  # expect: buffer python>numpy 60 shared

for day, sensor in zip(days, raw):
    total += bn.nanmean(day) + bn.nanmedian(day) + bn.move_mean(day, 3)[-1]
    total += bn.partition(day, 5)[5]  # expect: numpy-api numpy>bottleneck 30 copied
    total += bn.push(day)[-1]  # expect: numpy-api numpy>bottleneck 30 copied
    total += bn.nansum(sensor)  # expect: buffer python>numpy 30 shared
    total += bn.move_max(sensor, 4)[-1]  # expect: buffer python>numpy 30 shared
    total += bn.nansum(day.tolist())

centre = h3.latlng_to_cell(48.2, 16.37, 7)
for n in range(N_DAYS):
    disk = h3.grid_disk(centre, 2 + n % 3)  # expect: buffer h3>numpy 30 shared
    compact = h3.compact_cells(disk)  # expect: buffer numpy>h3 30; buffer h3>numpy 30 shared
    whole = h3.uncompact_cells(compact, 7)  # expect: buffer numpy>h3 30; buffer h3>numpy 30 shared
    total += len(disk) + len(compact) + int(np.isin(whole, disk).all())
print(round(total, 6))
