# SPDX-License-Identifier: MIT
"""`__dlpack_device__()` returns a device type that is not an int, and equal to none.

Library: open3d 0.20
Rules: DLP003
Clause: Python array API standard, version 2025.12, array.__dlpack_device__ Returns
Impact: consumers that compare the device type with kDLCPU, or look it up: they do not recognize host memory.
"""

import open3d

device_type, device_id = open3d.core.Tensor([1.0]).__dlpack_device__()
assert device_type.value == 1 != device_type and not isinstance(device_type, int)
