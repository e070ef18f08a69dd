# SPDX-License-Identifier: MIT
"""`stream` of an array on the default stream is None, "no synchronization is required", although work is pending
there.

Library: Numba 0.68
Rules: CAI606
Clause: CUDA Array Interface, version 3, Interface Requirements; Synchronization
Impact: consumers that import it on a non-blocking stream: they read elements that have not been written yet.
"""

import cupy
import numba.cuda

array, stream = numba.cuda.to_device(cupy.zeros(1, "f4").get()), cupy.cuda.Stream(non_blocking=True)
write = 'extern "C" __global__ void write(float *x) { long long t = clock64(); while (clock64() - t < 2000000000) {} *x = 7; }'
cupy.RawKernel(write, "write")((1,), (1,), (cupy.asarray(array),))
assert array.__cuda_array_interface__["stream"] is None
with stream:
    early = cupy.asarray(array).get(stream=stream)
assert early == [0] and array.copy_to_host() == [7]
