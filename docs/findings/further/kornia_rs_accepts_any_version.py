# SPDX-License-Identifier: MIT
"""`Image.from_dlpack` reads the fields of a struct whose major version it does not know.

Library: kornia_rs 0.2
Rules: DLC802
Clause: dlpack.h, version 1.3, DLManagedTensorVersioned.version
Impact: exporters of a later major version, whose fields have another meaning: it reads arbitrary memory.
"""

import ctypes

import kornia_rs
import numpy

array = numpy.zeros((2, 3), "f4")
capsule = array.__dlpack__(max_version=(1, 0))
ctypes.POINTER(ctypes.c_uint64).from_address(id(capsule) + object.__basicsize__)[0] = 1000  # version 1000.0
names = {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)}
assert kornia_rs.image.Image.from_dlpack(type("Exporter", (), names)()).shape == (2, 3, 1)
