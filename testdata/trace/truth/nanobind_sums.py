# nanobind: an extension converts arrays of another type or order silently; it then passes on the converted array.
# Requires the module that testdata/matrix/extensions/build compiles.
import nanobind_arrays
import numpy as np

single, wide = np.ones((20, 5), dtype=np.float32), np.ones((20, 5))
for i in range(200):
    total = nanobind_arrays.sum(single)  # expect: dlpack numpy>nanobind_arrays 200
for i in range(150):
    total = nanobind_arrays.sum(wide)  # expect: dlpack numpy>nanobind_arrays 150 copied
for i in range(100):
    total = nanobind_arrays.sum(single.T)  # expect: dlpack numpy>nanobind_arrays 100 copied
for i in range(120):
    passed = nanobind_arrays.from_any(single)  # expect: dlpack numpy>nanobind_arrays 120
for i in range(80):
    n = np.from_dlpack(passed)  # expect: dlpack nanobind_arrays>numpy 80 shared
for i in range(60):
    total = nanobind_arrays.sum(passed)  # expect: dlpack nanobind_arrays>nanobind_arrays 60
print(total)
