# SPDX-License-Identifier: MIT
"""`__dlpack__(dl_device=...)` raises BufferError for the device that `__dlpack_device__()` returns.

Library: cuda.core 1.2
Rules: DLP508
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device
Impact: consumers that name the device that they need: they get an exception although no copy is necessary.
"""

from cuda.core import Device

device = Device(0)
device.set_current()
buffer = device.allocate(48, stream=device.default_stream)
own = tuple(map(int, buffer.__dlpack_device__()))
assert "capsule" in repr(buffer.__dlpack__())
try:
    buffer.__dlpack__(max_version=(1, 0), dl_device=own)
    raise AssertionError("own device accepted")
except BufferError:
    pass
