# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=...)` of an array whose device is not the current one orders the stream after work on the current device.

Library: CuPy 14.2
Rules: DLP608
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream
Impact: consumers that pass a stream of the array's device and do not make that device current: the elements may not have been written yet.
"""

import cupy

spin = 'extern "C" __global__ void spin() { long long t = clock64(); while (clock64() - t < 2000000000) {} }'
with cupy.cuda.Device(1):
    array, stream = cupy.zeros(4), cupy.cuda.Stream(non_blocking=True)
    cupy.RawKernel(spin, "spin")((1,), (1,), ())
    pending = cupy.cuda.Stream.null.record()
capsule = array.__dlpack__(stream=stream.ptr)
assert stream.done and not pending.done
