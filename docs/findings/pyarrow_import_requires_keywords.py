# SPDX-License-Identifier: MIT
"""`Tensor.from_dlpack` does not call `__dlpack__` again without keywords if the exporter does not accept them.

Library: pyarrow
Rules: DLC801
Clause: Python array API standard, version 2025.12, array.__dlpack__ Notes
Impact: arrays of libraries that implement an edition before 2023.12, without max_version, cannot be imported.
Known: seen on 2026-11-23.
"""

import numpy
import pyarrow


class Exporter:
    __dlpack__ = lambda self, stream=None: numpy.ones(3).__dlpack__()
    __dlpack_device__ = lambda self: (1, 0)


try:
    raise AssertionError(pyarrow.lib.Tensor.from_dlpack(Exporter()))
except TypeError as error:
    assert "max_version" in str(error)
