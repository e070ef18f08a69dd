# SPDX-License-Identifier: MIT
"""`__dlpack__(copy=True)` returns the same memory.

Library: apache-tvm-ffi
Rules: DLP801
Clause: Python array API standard, version 2025.12, array.__dlpack__ copy (True: the producer always copies)
Impact: consumers that request a copy in order to write to it: they overwrite the original.
"""

import numpy
import tvm_ffi

original = numpy.zeros(3)
capsule = tvm_ffi.from_dlpack(original).__dlpack__(copy=True)
exporter = {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)}
copied = tvm_ffi.from_dlpack(type("Exporter", (), exporter)())
original[0] = 7
assert numpy.from_dlpack(copied)[0] == 7
