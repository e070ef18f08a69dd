# SPDX-License-Identifier: MIT
"""`__dlpack__(dl_device=...)` raises BufferError for the device that `__dlpack_device__()` returns.

Library: cuda.core 1.2
Rules: DLP508
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device
Impact: consumers that name the device that they need: they get an exception although no copy is necessary.
"""

from cuda.core import Device

Device(0).set_current()
buffer = Device(0).allocate(48, stream=Device(0).default_stream)
assert "capsule" in repr(buffer.__dlpack__())
try:
    buffer.__dlpack__(max_version=(1, 0), dl_device=tuple(map(int, buffer.__dlpack_device__())))
    raise AssertionError("no exception")
except BufferError:
    pass
