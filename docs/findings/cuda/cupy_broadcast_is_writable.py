# SPDX-License-Identifier: MIT
"""`broadcast_to` returns a writable view whose rows share the same memory.

Library: CuPy 14.2
Rules: CAI308, DLP311
Clause: CUDA Array Interface, version 3, data
Impact: kernels that write through it: their threads race for the same bytes. NumPy's view is read-only.
"""

import cupy

interface = cupy.broadcast_to(cupy.arange(4.0), (3, 4)).__cuda_array_interface__
assert interface["strides"] == (0, 8)
assert interface["data"][1] is False
