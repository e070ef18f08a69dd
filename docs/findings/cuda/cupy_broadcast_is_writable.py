# SPDX-License-Identifier: MIT
"""`broadcast_to` gives a writable view, all of whose rows are the same memory.

Library: CuPy 14.2
Rules: CAI308, DLP311
Clause: CUDA Array Interface, version 3, data
Hurts: kernels that write through it: their threads race for the same bytes. NumPy's is read-only.
"""

import cupy

interface = cupy.broadcast_to(cupy.arange(4.0), (3, 4)).__cuda_array_interface__
assert interface["strides"] == (0, 8)
assert interface["data"][1] is False
