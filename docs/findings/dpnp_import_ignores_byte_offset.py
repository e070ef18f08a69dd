# SPDX-License-Identifier: MIT
"""`from_dlpack` of a tensor in host memory ignores `byte_offset` and returns other elements.

Library: dpnp
Rules: DLC301
Clause: dlpack.h, version 1.3, DLTensor.byte_offset
Impact: views of libraries that set byte_offset instead of moving data: elements are wrong, without an error.
Known: seen on 2026-11-23.
"""

import ctypes
import dpnp
import numpy

capsule = numpy.arange(6.0)[:4].__dlpack__(max_version=(1, 0))
managed = (ctypes.c_int64 * 10).from_address(ctypes.c_int64.from_address(id(capsule) + 16).value)
managed[9] = 16  # byte_offset: the elements are 2, 3, 4, 5
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
assert dpnp.from_dlpack(exporter).tolist() == [0, 1, 2, 3]
