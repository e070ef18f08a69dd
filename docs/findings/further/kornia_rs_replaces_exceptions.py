# SPDX-License-Identifier: MIT
"""`Image.from_dlpack` raises TypeError instead of the BufferError of the exporter.

Library: kornia_rs 0.2
Rules: DLC804
Clause: Python array API standard, version 2025.12, from_dlpack Raises (BufferError)
Impact: code that catches BufferError to copy the elements in another way, and users, who read that the object has no
    `__dlpack__`.
"""

import kornia_rs
import numpy

try:
    kornia_rs.image.Image.from_dlpack(numpy.zeros((2, 3), ">u2"))  # "DLPack only supports native byte order."
    raise SystemExit("no exception")
except TypeError as error:
    assert "does not implement __dlpack__()" in str(error)
