# SPDX-License-Identifier: MIT
"""`__dlpack__` of a tensor in host memory accepts any stream, even a string.

Library: apache-tvm-ffi
Rules: DLP602
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream (for a CPU only None is accepted)
Impact: code that confuses devices: an invalid stream is silently ignored.
"""

import numpy
import tvm_ffi

assert '"dltensor"' in repr(tvm_ffi.from_dlpack(numpy.zeros(3)).__dlpack__(stream="x"))
