# SPDX-License-Identifier: MIT
"""Arrays of records have `typestr` '|V12' and no `descr`.

Library: Numba 0.68
Rules: CAI205
Clause: CUDA Array Interface, version 3, descr
Impact: consumers get bytes without fields.
"""

import numpy
from numba import cuda

interface = cuda.to_device(numpy.zeros(3, [("a", "<i4"), ("b", "<f8")])).__cuda_array_interface__
assert interface["typestr"] == "|V12"
assert "descr" not in interface
