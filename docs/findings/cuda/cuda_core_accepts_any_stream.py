# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=-2)` succeeds: cuda.core accepts any integer as a stream.

Library: cuda.core 1.2
Rules: DLP614
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("an integer larger than or equal to -1")
Impact: consumers that pass a wrong stream: nothing is ordered, and the mistake is not reported.
"""

from cuda.core import Device

device = Device(0)
device.set_current()
buffer = device.allocate(48, stream=device.default_stream)
assert "capsule" in repr(buffer.__dlpack__(stream=-2))
