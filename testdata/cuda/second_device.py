# SPDX-License-Identifier: MIT
"""Arrays on the second device while the first is current."""

import cupy

cupy.cuda.Device(0).use()
with cupy.cuda.Device(1):
    cupy_array = cupy.arange(4096, dtype="f4")
