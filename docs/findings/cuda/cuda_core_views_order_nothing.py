# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=...)` of a view orders nothing: the stream does not wait for what is pending on the default stream, the one that the type's exchange API names.

Library: cuda.core 1.2
Rules: DLP608
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream
Hurts: who passes its stream and reads on it: the elements may not be written yet.
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
