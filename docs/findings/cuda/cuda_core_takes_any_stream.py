# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=-2)` and `stream="x"` return: cuda.core does not look at the stream.

Library: cuda.core 1.2
Rules: DLP606, DLP614
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("a positive integer or -1")
Hurts: who passes a stream: nothing is ordered, on any, and a mistake is not told.
"""

from cuda.core import Device

device = Device(0)
device.set_current()
buffer = device.allocate(48, stream=device.default_stream)
for stream in -2, "x":
    assert "capsule" in repr(buffer.__dlpack__(stream=stream))
