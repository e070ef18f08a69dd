# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=...)` of a view does not order the stream after work pending on the default stream, which the
type's exchange API reports as current.

Library: cuda.core 1.2
Rules: DLP608
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream
Impact: consumers that pass their stream and read on it: the elements may not have been written yet.
"""

import cupy
from cuda.core import Device
from cuda.core.utils import StridedMemoryView

Device(0).set_current()
default, stream = cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)
view = StridedMemoryView.from_buffer(Device(0).allocate(16, stream=Device(0).default_stream), (4,), dtype=cupy.dtype("f4"))
spin = 'extern "C" __global__ void spin() { long long t = clock64(); while (clock64() - t < 2000000000) {} }'
cupy.RawKernel(spin, "spin")((1,), (1,), ())
capsule = view.__dlpack__(stream=stream.ptr)
assert stream.done and not default.done
