# SPDX-License-Identifier: MIT
"""The buffer of a strided or transposed array is granted to consumers that require C order.

Library: mlx 0.32
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests ("Without stride information, the buffer must be
    C-contiguous")
Impact: consumers that process the memory block unchanged (files, sockets, checksums): they get wrong elements without
    an error.
"""

import io

import mlx.core
import numpy

sink = io.BytesIO()
sink.write(mlx.core.arange(6)[::2])
assert numpy.frombuffer(sink.getvalue(), "i4").tolist() == [0, 1, 2]  # not 0, 2, 4
