# SPDX-License-Identifier: MIT
"""`__dlpack__(dl_device=(1, 0))` of a tensor in host memory raises ValueError, like every other `dl_device`.

Library: Holoscan 4.6
Rules: DLP508
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device
Impact: `numpy.from_dlpack(tensor, device="cpu")` fails, although the elements are in host memory.
"""

import holoscan.core
import numpy

tensor = holoscan.core.Tensor.as_tensor(numpy.arange(3))
assert tensor.__dlpack_device__() == (1, 0) and numpy.from_dlpack(tensor)[2] == 2
try:
    numpy.from_dlpack(tensor, device="cpu")
    raise AssertionError("imported")
except ValueError as error:
    assert str(error) == "dl_device must be a tuple of (DLDeviceType, device_id)"
